import type { ProblemCode } from '@chatd/protocol';
import type { z } from 'zod';
import { type FieldError, Refused } from '../../chat/refused.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The part of the request that was parsed. */
export type Source = 'params' | 'query' | 'body';

/** A small body can have many more issues: each item of each list. */
const MOST_ERRORS = 100;

/** One refusal with the first issues of a schema. Its code comes from the first one. */
export function refusalFrom(source: Source, issues: readonly Issue[]): Refused {
  const shown = issues.slice(0, MOST_ERRORS);
  const found = shown.flatMap((issue) => leaves(issue, [])).slice(0, MOST_ERRORS);
  const errors = found.map(({ path, message }) => ({ path: dotted(path), message }));
  const [first] = found;
  const code = first === undefined ? CODES[source] : codeOf(source, first);
  return new Refused(code, detailOf(errors), { errors });
}

interface Leaf {
  readonly path: Path;
  readonly message: string;
  readonly code: string;
  readonly ownCode: string | undefined;
}

/** Of the options of a union, reports the one that matched deepest. */
function leaves(issue: Issue, parent: Path): Leaf[] {
  const path = [...parent, ...issue.path];
  if (issue.code === 'invalid_union') {
    const ways = issue.errors.map((way) => way.flatMap((inner) => leaves(inner, path)));
    const furthest = ways.toSorted((a, b) => depth(b) - depth(a))[0];
    if (furthest !== undefined && depth(furthest) > path.length) return furthest;
  }
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element') {
    return issue.issues.flatMap((inner) => leaves(inner, path));
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: 'does not exist',
      code: issue.code,
      ownCode: 'unknown_field',
    }));
  }
  const own: unknown = issue.code === 'custom' ? issue.params?.['code'] : undefined;
  return [
    {
      path,
      message: issue.message,
      code: issue.code,
      ownCode: typeof own === 'string' ? own : undefined,
    },
  ];
}

const depth = (found: readonly Leaf[]) => Math.max(0, ...found.map(({ path }) => path.length));

const CODES: Record<Source, ProblemCode> = {
  params: 'invalid_id',
  query: 'invalid_query',
  body: 'invalid_body',
};

function codeOf(source: Source, leaf: Leaf): ProblemCode {
  if (leaf.ownCode !== undefined) return leaf.ownCode as ProblemCode;
  return source === 'query' && leaf.path[0] === 'cursor' ? 'invalid_cursor' : CODES[source];
}

const dotted = (path: Path) => path.map(String).join('.');

function detailOf(errors: readonly FieldError[]): string {
  const [first, ...others] = errors;
  if (first === undefined) return 'The request is not valid.';
  const summary = `${first.path === '' ? 'The request' : first.path}: ${first.message}`;
  return others.length === 0 ? summary : `${summary} (and ${others.length} more, see errors)`;
}
