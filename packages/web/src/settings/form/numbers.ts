import type { FieldErrors } from './use-form.ts';

const MICROS = 1_000_000;

/** The number in a field; undefined when empty, NaN when invalid. */
export function numberIn(text: string): number | undefined {
  const plain = text.replaceAll(/[\s_]/g, '');
  if (plain === '') return undefined;
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : NaN;
}

/** An amount of money in micros. */
export function microsIn(text: string): number | undefined {
  const amount = numberIn(text);
  return amount === undefined ? undefined : Math.round(amount * MICROS);
}

export const numberText = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value);

/** Without trailing zeros: "3", "0.25". */
export const microsText = (micros: number | null | undefined): string =>
  micros === null || micros === undefined ? '' : String(micros / MICROS);

/** Errors for fields that are not numbers. The server checks ranges. */
export function notNumbers<Values extends object>(
  values: Values,
  names: readonly (keyof Values & string)[],
): FieldErrors {
  const wrong = names.filter((name) => Number.isNaN(numberIn(String(values[name]))));
  return Object.fromEntries(wrong.map((name) => [name, 'must be a number, such as 1.5 or 4096']));
}

/** Non-empty lines. */
export const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
