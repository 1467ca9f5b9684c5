import type { Settings } from '@chatd/protocol';
import type { RecentSettings } from '../../store/recent-settings.ts';
import { changeSettings } from '../../store/settings.ts';
import type { Transaction } from '../../store/transaction.ts';

/** Merges the given fields. This replica uses the new settings at once, others within seconds. */
export async function updateSettings(
  recent: Pick<RecentSettings, 'forget'>,
  change: object,
  tx: Transaction,
): Promise<Settings> {
  const changed = await changeSettings(tx, change);
  tx.afterCommit(() => recent.forget());
  return changed;
}
