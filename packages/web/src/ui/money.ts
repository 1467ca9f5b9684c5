const formats = new Map<number, Intl.NumberFormat>();

function format(digits: number): Intl.NumberFormat {
  const known = formats.get(digits);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  formats.set(digits, made);
  return made;
}

/** Micros of a dollar; what is tiny is not shown as nothing. */
export function money(micros: number): string {
  const dollars = micros / 1_000_000;
  return format(dollars !== 0 && dollars < 1 ? 4 : 2).format(dollars);
}

const prices = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
});

/** What something costs, as it is written on a list: without zeros that say nothing. */
export const price = (micros: number): string => prices.format(micros / 1_000_000);

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** "12.3K". */
export const tokenCount = (tokens: number): string => compact.format(tokens);

/** "12.3K", or "12.3K (8K cached)": what a model was given to read, and how much of it came from its provider's cache. */
export const tokensRead = (tokens: number, cached: number): string =>
  cached === 0 ? tokenCount(tokens) : `${tokenCount(tokens)} (${tokenCount(cached)} cached)`;
