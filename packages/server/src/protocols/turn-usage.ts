import type { Usage } from '@chatd/protocol';

/** Counts of the model calls that are summed up. */
const COUNTS = [
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
] as const satisfies (keyof Usage)[];

export type TurnUsage = Partial<Record<(typeof COUNTS)[number], number>>;

/** Adds up the model calls of a turn. Undefined: none has reported its usage. */
export function addUsage(
  sum: TurnUsage | undefined,
  usage: Usage | undefined,
): TurnUsage | undefined {
  if (usage === undefined) return sum;
  const total = { ...sum };
  for (const count of COUNTS) {
    const value = usage[count];
    if (value !== undefined) total[count] = (total[count] ?? 0) + value;
  }
  return total;
}

/** Cached tokens are input, too, in protocols that do not count them apart. */
export const allInputTokens = ({
  input_tokens = 0,
  cache_read_tokens = 0,
  cache_creation_tokens = 0,
}: TurnUsage): number => input_tokens + cache_read_tokens + cache_creation_tokens;
