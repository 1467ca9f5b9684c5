declare const isJson: unique symbol;

/** JSON for a json or jsonb parameter. */
export type JsonText = string & { readonly [isJson]: true };

/** A NUL or a lone surrogate as `JSON.stringify` writes them, which jsonb refuses. */
const SUSPECT = /\\u(?:0000|d[89a-f])/i;

/**
 * A value with its JSON. Replaces characters that PostgreSQL cannot store with U+FFFD, so that the output of models and
 * tools can always be stored. Requests with such characters are refused.
 */
export function storable<T>(value: T): { readonly value: T; readonly json: JsonText } {
  const json = JSON.stringify(value) as JsonText;
  if (!SUSPECT.test(json)) return { value, json };
  const clean = replaced(value) as T;
  return { value: clean, json: JSON.stringify(clean) as JsonText };
}

export const toJson = (value: unknown): JsonText => storable(value).json;

function replaced(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD').toWellFormed();
  if (Array.isArray(value)) return value.map(replaced);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [replaced(key), replaced(item)]),
  );
}
