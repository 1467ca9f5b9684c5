import type { ChatCost, UsageReport } from '@chatd/protocol';
import { groupedSums, type UsageRow } from '../../store/usage.ts';

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
