import { isMap, isScalar, parseDocument } from 'yaml';

export interface FrontMatter {
  /** Top-level text fields, on one line each. Other fields are ignored. */
  readonly fields: ReadonlyMap<string, string>;
  readonly problem?: string;
  readonly body: string;
}

const MAX_LENGTH = 16 * 1024;
const NO_FIELDS: ReadonlyMap<string, string> = new Map();

/** Parses the YAML block between two `---` lines at the start of a document. */
export function frontMatter(document: string): FrontMatter {
  const match = /^\uFEFF?---[ \t]*(\r?\n(?:.*?\r?\n)??)---[ \t]*(?:\r?\n|$)/s.exec(document);
  if (match === null) return { fields: NO_FIELDS, body: document };
  const [whole, block = ''] = match;
  const body = document.slice(whole.length);
  if (block.length > MAX_LENGTH) {
    const problem = `The front matter is longer than ${MAX_LENGTH / 1024} KiB.`;
    return { fields: NO_FIELDS, problem, body };
  }
  return { ...readFields(block), body };
}

/**
 * The block starts with the line break after the first `---`, so that the parser reports line numbers of the file. The
 * schema reads every scalar as text, so `1.0` and `yes` stay as written. Aliases are never expanded.
 */
function readFields(block: string): Pick<FrontMatter, 'fields' | 'problem'> {
  const { contents, errors } = parseDocument(block, { schema: 'failsafe' });
  const [error] = errors;
  if (error !== undefined) {
    const [reason = ''] = error.message.split(':\n', 1);
    return { fields: NO_FIELDS, problem: `The front matter is not valid YAML: ${reason}.` };
  }
  if (contents === null || (isScalar(contents) && contents.value === '')) {
    return { fields: NO_FIELDS };
  }
  if (!isMap(contents)) {
    return {
      fields: NO_FIELDS,
      problem: 'The front matter is not a list of `name: value` fields.',
    };
  }
  const fields = new Map<string, string>();
  for (const { key, value } of contents.items) {
    if (!isScalar(key) || !isScalar(value)) continue;
    const text = String(value.value).replace(/\s+/g, ' ').trim();
    if (text !== '') fields.set(String(key.value), text);
  }
  return { fields };
}
