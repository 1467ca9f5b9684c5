import type { ChatCost, Spend, UsageReport } from '@chatd/protocol';
import type { SpendState } from '../store/accounting/spend.ts';
import { groupedSums, type UsageRow } from '../store/accounting/usage.ts';

export function presentUsageReport(rows: readonly UsageRow[]): UsageReport {
  const { total, groups } = groupedSums(rows);
  return { total, groups: [...groups] };
}

export function presentChatCost(rows: readonly UsageRow[]): ChatCost {
  const { total, groups } = groupedSums(rows);
  return {
    total,
    by_model: groups.map(({ key, ...sums }) => ({ ...sums, model_config_id: key })),
  };
}

export const presentSpend = (spend: SpendState): Spend => ({
  limit_micros: spend.limit_micros,
  spent_micros: spend.spent_micros,
  left_micros: spend.left_micros,
  unpriced_calls: spend.unpriced_calls,
  since: spend.since.toISOString(),
  resets_at: spend.resets_at.toISOString(),
});
