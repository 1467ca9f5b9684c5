/** A JSON object from the wire, with unknown fields. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, otherwise an empty one. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The objects in a list; other values are dropped. */
export function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Absent or null: JSON clients use both. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function isBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() === '';
}

export function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** Whether the text is a JSON object. */
export function isJsonObject(text: string): boolean {
  return isJson(text) && isObject(JSON.parse(text));
}
