import type { UsageReport } from '@chatd/protocol';

export type Sums = UsageReport['total'];

/** A group of model calls, or, without a key, all of them together. */
export type UsageRow = Sums & { readonly key: string | null };

export interface GroupedSums {
  readonly total: Sums;
  readonly groups: readonly (Sums & { readonly key: string })[];
}

export function groupedSums(rows: readonly UsageRow[]): GroupedSums {
  const total = rows.find((row) => row.key === null);
  if (total === undefined) throw new Error('a report came without its total');
  const { key: _, ...sums } = total;
  return {
    total: sums,
    groups: rows.flatMap((row) => (row.key === null ? [] : [{ ...row, key: row.key }])),
  };
}
