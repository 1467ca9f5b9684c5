import type { Settings } from '@chatd/protocol';
import type { RecentSettings } from '../../store/recent-settings.ts';
import { changeSettings } from '../../store/settings.ts';
import type { Queryable } from '../../store/statement.ts';
import type { Transaction } from '../../store/transaction.ts';
import { afterCommit } from '../../store/transaction-scope.ts';

/** Merges the given fields. This replica uses the new settings at once, others within seconds. */
export async function updateSettings(
  recent: Pick<RecentSettings, 'forget'>,
  change: object,
  db: Queryable,
  tx: Transaction | undefined,
): Promise<Settings> {
  const changed = await changeSettings(db, change);
  afterCommit(tx, () => recent.forget());
  return changed;
}
