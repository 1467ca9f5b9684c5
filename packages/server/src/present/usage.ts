import type { ChatCost, Spend, UsageReport } from '@chatd/protocol';
import type { readSharedLimits, SpendState } from '../store/accounting/spend.ts';
import { groupedSums, type Sums, type UsageRow } from '../store/accounting/usage.ts';

/** `counted` has each call once: the calls of a user count for each of their groups. */
export const presentUsageReport = (
  rows: readonly UsageRow[],
  counted: readonly UsageRow[] = rows,
): UsageReport => ({ total: groupedSums(counted).total, groups: [...rows] });

const COLUMNS = [
  'calls',
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
  'cost_micros',
  'unpriced_calls',
  'runtime_ms',
  'tool_runtime_ms',
] as const satisfies readonly (keyof Sums)[];

/** RFC 4180. Keys and numbers need no quotes. */
export const usageTable = (rows: readonly UsageRow[]): string =>
  [['key', ...COLUMNS], ...rows.map((row) => [row.key, ...COLUMNS.map((name) => row[name])])]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');

export function presentChatCost(rows: readonly UsageRow[]): ChatCost {
  const { total, groups } = groupedSums(rows);
  return {
    total,
    by_model: groups.map(({ key, ...sums }) => ({ ...sums, model_config_id: key })),
  };
}

export const presentSpend = (
  spend: SpendState,
  shared: Awaited<ReturnType<typeof readSharedLimits>>,
): Spend => ({
  limit_micros: spend.limit_micros,
  spent_micros: spend.spent_micros,
  left_micros: spend.left_micros,
  unpriced_calls: spend.unpriced_calls,
  limits: shared.map(({ group_id, group_name, limit_micros, spent_micros, left_micros }) => ({
    group_id,
    group_name,
    limit_micros,
    spent_micros,
    left_micros,
  })),
  since: spend.since.toISOString(),
  resets_at: spend.resets_at.toISOString(),
});
