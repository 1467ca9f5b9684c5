import type { JsonObject } from '@chatd/protocol';

/** The limit keeps the cost of a delta constant. */
const LOOKED_AT = 4096;

/** The complete members of an object whose JSON is still streaming, and the last string as far as it goes. */
export function partialObject(text: string): JsonObject {
  const seen = text.slice(0, LOOKED_AT);
  for (const end of candidates(seen)) {
    try {
      const value: unknown = JSON.parse(end);
      return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
    } catch {
      // The next candidate is shorter.
    }
  }
  return {};
}

/** The text with open strings and brackets closed; then without the last incomplete member. */
function* candidates(text: string): Generator<string> {
  const { open, inString } = structure(text);
  const closing = open.toReversed().join('');
  const balanced = inString ? `${text.replace(/\\(?:u[\da-f]{0,3})?$/i, '')}"` : text;
  yield balanced + closing;
  yield balanced.replace(/[,:\s]*$/, '') + closing;
  const comma = balanced.lastIndexOf(',');
  if (comma > 0)
    yield balanced.slice(0, comma) + structure(balanced.slice(0, comma)).open.toReversed().join('');
  yield '{}';
}

function structure(text: string): { open: string[]; inString: boolean } {
  const open: string[] = [];
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') open.push('}');
    else if (char === '[') open.push(']');
    else if (char === '}' || char === ']') open.pop();
  }
  return { open, inString };
}
