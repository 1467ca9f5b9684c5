/** Of a value, the fields that are named; what is not named stays here. */
export function pick<T extends object>(value: T, fields: readonly (keyof T)[]): T {
  const shown: Partial<T> = {};
  for (const field of fields) {
    if (value[field] !== undefined) shown[field] = value[field];
  }
  return shown as T;
}
