import { GroupName } from '@chatd/protocol';
import { writeAuditEvent } from '../../auth/audit.ts';
import {
  insertMirroredGroups,
  joinMirroredGroups,
  leaveMirroredGroups,
} from '../../store/queries/groups.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';

/**
 * Makes the user a member of exactly those mirrored groups that the identity provider names, and creates missing ones.
 * Other groups do not change, even if they have such a name. Returns whether a membership changed: then call
 * `AccountChanges.publish` after the commit.
 */
export async function syncGroups(
  tx: Transaction,
  userId: string,
  names: readonly string[],
): Promise<boolean> {
  const claimed = [...new Set(names.flatMap((name) => GroupName.safeParse(name).data ?? []))];
  const ids = claimed.map(() => uuidv7());
  const created = await tx.query(insertMirroredGroups, { ids, names: claimed });
  const left = await tx.query(leaveMirroredGroups, { user_id: userId, names: claimed });
  const joined = await tx.query(joinMirroredGroups, { user_id: userId, names: claimed });
  for (const { id, name } of created) {
    const detail = { name, mirrored: true };
    await writeAuditEvent(tx, { kind: 'system' }, { action: 'group.create', targetId: id, detail });
  }
  if (left.length === 0 && joined.length === 0) return false;
  await writeAuditEvent(
    tx,
    { kind: 'system' },
    {
      action: 'user.sync_groups',
      targetId: userId,
      detail: {
        joined: joined.map(({ group_id }) => group_id),
        left: left.map(({ group_id }) => group_id),
      },
    },
  );
  return true;
}
