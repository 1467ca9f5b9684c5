import type { Price } from '@chatd/protocol';

type Given = { readonly [Class in keyof Price]: string | null | undefined };

/** Gateways state dollars per token; chatd stores millionths per million tokens. Empty if a price is missing. */
export function priceOfTokens(given: Given): { price?: Price } {
  const input = micros(given.input);
  const output = micros(given.output);
  if (input === undefined || output === undefined) return {};
  const cache_read = micros(given.cache_read);
  const cache_write = micros(given.cache_write);
  return {
    price: {
      input,
      output,
      ...(cache_read !== undefined && { cache_read }),
      ...(cache_write !== undefined && { cache_write }),
    },
  };
}

/** A negative price means that it varies. */
function micros(dollars: string | null | undefined): number | undefined {
  const value = Math.round(Number(dollars ?? Number.NaN) * 1e12);
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
