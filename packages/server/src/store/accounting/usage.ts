import type { UsageReport } from '@chatd/protocol';

export type Sums = UsageReport['total'];

/** A group of model calls. */
export type UsageRow = Sums & { readonly key: string };

export interface GroupedSums {
  readonly total: Sums;
  readonly groups: readonly UsageRow[];
}

const NOTHING: Sums = {
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cache_read_tokens: 0,
  cache_creation_tokens: 0,
  cost_micros: 0,
  unpriced_calls: 0,
  runtime_ms: 0,
  tool_runtime_ms: 0,
};
const FIELDS = Object.keys(NOTHING) as (keyof Sums)[];

export function groupedSums(groups: readonly UsageRow[]): GroupedSums {
  const total = { ...NOTHING };
  for (const group of groups) {
    for (const field of FIELDS) total[field] += group[field];
  }
  return { total, groups };
}
