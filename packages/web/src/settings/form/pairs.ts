/** `NAME=value`, one per line. Spaces in values are kept. Undefined: a line is not of this form. */
export function pairsIn(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => /^\s*([^=\s]+)=(.*)$/.exec(line));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}

export const pairsText = (pairs: Readonly<Record<string, string>> = {}): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

export const NOT_PAIRS = 'must be NAME=value, one per line';
