/** A JSON object of unknown content. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isMissing = (value: unknown): value is null | undefined =>
  value === null || value === undefined;

export const isString = (value: unknown): value is string => typeof value === 'string';
export const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Whether the named fields are missing or have the type. */
export const areOptional = (
  value: Fields,
  type: 'string' | 'number' | 'boolean',
  names: readonly string[],
): boolean => names.every((name) => isMissing(value[name]) || typeof value[name] === type);

/** Whether the named fields are missing. */
export const areMissing = (value: Fields, names: readonly string[]): boolean =>
  names.every((name) => isMissing(value[name]));

/** Whether the object has no other fields. */
export const hasOnly = (value: Fields, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));
