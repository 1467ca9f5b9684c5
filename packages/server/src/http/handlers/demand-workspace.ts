import { findOwnWorkspace } from '../../store/queries/workspaces.ts';
import type { Queryable } from '../../store/statement.ts';
import { Refused } from '../../chat/refused.ts';

/** A chat may only name a workspace of its owner's. */
export async function demandWorkspace(
  db: Queryable,
  id: string | null | undefined,
  ownerId: string,
): Promise<void> {
  if (id === null || id === undefined) return;
  const [row] = await db.query(findOwnWorkspace, { id, owner_id: ownerId });
  if (row === undefined) {
    throw new Refused('unknown_workspace', `There is no workspace ${id}.`);
  }
}
