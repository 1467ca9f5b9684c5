import type { z } from 'zod';
import { Refused } from '../../chat/refused.ts';
import type { Exchange } from '../exchange.ts';
import { mediaTypeOf, readBody } from '../request/body.ts';
import { issueMessage } from '../request/issue-message.ts';
import { refusalFrom } from '../request/issues.ts';
import { parseJson } from '../request/json.ts';
import { parseQueryString } from '../request/query-string.ts';

/** Requests can contain files. */
const BODY_BYTES = 16 * 1024 * 1024;
const MAX_VALUES = 200_000;

export async function bodyOf<Schema extends z.ZodType>(
  { incoming }: Exchange,
  schema: Schema,
): Promise<{ body: z.output<Schema>; bytes: Buffer }> {
  if (mediaTypeOf(incoming) !== 'application/json') {
    throw new Refused('unsupported_media_type', 'Send Content-Type: application/json.');
  }
  const bytes = await readBody(incoming, BODY_BYTES);
  const value = parseJson(bytes);
  // A value takes at least two bytes.
  if (bytes.length > MAX_VALUES && hasMoreValues(value, MAX_VALUES)) {
    throw new Refused('invalid_body', `The body has more than ${MAX_VALUES} values.`);
  }
  const parsed = schema.safeParse(value, { error: issueMessage });
  if (!parsed.success) throw refusalFrom('body', parsed.error.issues);
  return { body: parsed.data, bytes };
}

/** Each value can cost an error message. `parseJson` limits the depth. */
function hasMoreValues(value: unknown, most: number): boolean {
  let left = most;
  const exceeds = (one: unknown): boolean => {
    left -= 1;
    return (
      left < 0 || (typeof one === 'object' && one !== null && Object.values(one).some(exceeds))
    );
  };
  return exceeds(value);
}

export function queryOf<Schema extends z.ZodType>(
  { search }: Exchange,
  schema: Schema,
): z.output<Schema> {
  const parsed = schema.safeParse(parseQueryString(search), { error: issueMessage });
  if (!parsed.success) throw refusalFrom('query', parsed.error.issues);
  return parsed.data;
}
