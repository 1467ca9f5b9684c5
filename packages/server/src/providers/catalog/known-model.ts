import type { Price } from '@chatd/protocol';

export interface KnownModel {
  readonly name: string;
  readonly context_limit: number;
  readonly max_output_tokens: number;
  readonly price: Price;
  readonly reasoning: boolean;
  readonly vision: boolean;
  readonly note?: string;
}

export type KnownModels = Readonly<Record<string, KnownModel>>;

/** US dollars per million tokens, as in price lists. */
export function dollars(
  input: number,
  output: number,
  cache: { readonly read?: number; readonly write?: number } = {},
): Price {
  return {
    input: micros(input),
    output: micros(output),
    ...(cache.read !== undefined && { cache_read: micros(cache.read) }),
    ...(cache.write !== undefined && { cache_write: micros(cache.write) }),
  };
}

const micros = (amount: number) => Math.round(amount * 1_000_000);
