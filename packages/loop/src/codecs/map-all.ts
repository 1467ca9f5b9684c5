/** The converted values, or undefined if one of them is outside the subset. */
export function mapAll<From, To>(
  values: readonly From[],
  convert: (value: From, index: number) => To | undefined,
): To[] | undefined {
  const converted: To[] = [];
  for (const [index, value] of values.entries()) {
    const one = convert(value, index);
    if (one === undefined) return undefined;
    converted.push(one);
  }
  return converted;
}
