import { LOCALE } from './locale.ts';

const formats = new Map<number, Intl.NumberFormat>();

function format(digits: number): Intl.NumberFormat {
  const known = formats.get(digits);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(LOCALE, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  formats.set(digits, made);
  return made;
}

/** From micros. Small amounts are never shown as zero. */
export function money(micros: number): string {
  const dollars = micros / 1_000_000;
  return format(dollars !== 0 && dollars < 1 ? 4 : 2).format(dollars);
}

const prices = new Intl.NumberFormat(LOCALE, {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
});

/** A price without trailing zeros. */
export const price = (micros: number): string => prices.format(micros / 1_000_000);

const compact = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });

export const tokenCount = (tokens: number): string => compact.format(tokens);

/** "12.3K (8K cached)": input tokens, and how many of them the provider read from its cache. */
export const tokensRead = (tokens: number, cached: number): string =>
  cached === 0 ? tokenCount(tokens) : `${tokenCount(tokens)} (${tokenCount(cached)} cached)`;
