declare const isJson: unique symbol;

/** JSON for a json or jsonb parameter. */
export type JsonText = string & { readonly [isJson]: true };

/** A NUL or half of a surrogate pair, as `JSON.stringify` writes them: what jsonb refuses to store. */
const SUSPECT = /\\u(?:0000|d[89a-f])/i;

/**
 * A value with its JSON for a jsonb parameter. What models and tools produce may hold what PostgreSQL cannot:
 * it is replaced by U+FFFD, so that a tool that prints a NUL does not jam its chat. Clients are refused such
 * text at the door.
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
