import { Refused } from '../chat/refused.ts';
import { countProjects } from '../store/queries/chats/projects.ts';
import { countGitConnections } from '../store/queries/git.ts';
import { countPushSubscriptions } from '../store/queries/outbox/push.ts';
import { countWebhooks } from '../store/queries/outbox/webhooks.ts';
import { countTriggers } from '../store/queries/triggers/triggers.ts';
import { countTokens } from '../store/queries/tokens.ts';
import { countWorkspaces } from '../store/queries/workspaces.ts';
import { lockQuota } from '../store/queries/users.ts';
import { onlyRow } from '../store/statement.ts';
import type { Transaction } from '../store/transaction.ts';

const COUNTS = {
  projects: countProjects,
  'subscribed browsers': countPushSubscriptions,
  tokens: countTokens,
  'git connections': countGitConnections,
  triggers: countTriggers,
  webhooks: countWebhooks,
  workspaces: countWorkspaces,
} as const;

/** Quotas that admins can change. */
const SETTINGS: Partial<Record<keyof typeof COUNTS, string>> = {
  tokens: 'max_tokens_per_user',
  workspaces: 'max_workspaces_per_user',
};

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
  const setting = SETTINGS[of];
  const orRaise = setting === undefined ? '' : `, or ask an admin to raise ${setting}`;
  throw new Refused(
    'quota_exceeded',
    `A user can have ${most} ${of}. Delete some of them${orRaise}.`,
  );
}
