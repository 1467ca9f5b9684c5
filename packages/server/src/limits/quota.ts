import { Refused } from '../chat/refused.ts';
import { countProjects } from '../store/queries/chats/projects.ts';
import { countTokens } from '../store/queries/tokens.ts';
import { countWorkspaces } from '../store/queries/workspaces.ts';
import { lockQuota } from '../store/queries/users.ts';
import { onlyRow } from '../store/statement.ts';
import type { Transaction } from '../store/transaction.ts';

const COUNTS = {
  projects: countProjects,
  tokens: countTokens,
  workspaces: countWorkspaces,
} as const;

interface Quota {
  readonly userId: string;
  readonly of: keyof typeof COUNTS;
  /** Null: no limit. */
  readonly most: number | null;
}

/**
 * Runs `add` unless the user then has more than the quota: in that case throws `Refused`, and the transaction must be
 * rolled back. Parallel additions for one user run one after the other.
 */
export async function withinQuota<T>(
  tx: Transaction,
  { userId, of, most }: Quota,
  add: () => Promise<T>,
): Promise<T> {
  if (most === null) return await add();
  await tx.query(lockQuota, { user_id: userId });
  const added = await add();
  const { count } = onlyRow(await tx.query(COUNTS[of], { user_id: userId }));
  if (count <= most) return added;
  throw new Refused(
    'quota_exceeded',
    `A user can have ${most} ${of}. Delete some of them${of === 'projects' ? '' : `, or ask an admin to raise max_${of}_per_user`}.`,
  );
}
