import { Refused } from '../../chat/refused.ts';
import type { ChatRow } from '../../chat/row.ts';
import { findChat } from '../../store/queries/chats/find.ts';
import { findOwnWorkspace, findWorkspace } from '../../store/queries/workspaces.ts';
import type { Queryable } from '../../store/statement.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';

/** Refuses a workspace id that is not one of the owner's. Null and undefined pass. */
export async function checkOwnWorkspace(
  db: Queryable,
  id: string | null | undefined,
  ownerId: string,
): Promise<void> {
  if (id === null || id === undefined) return;
  const [row] = await db.query(findOwnWorkspace, { id, owner_id: ownerId });
  if (row === undefined) throw new Refused('unknown_workspace', `Workspace ${id} does not exist.`);
}

/** The workspace of a chat. A subagent without its own uses the one of its root chat. */
export async function workspaceOfChat(
  db: Queryable,
  chat: ChatRow,
): Promise<WorkspaceRow | undefined> {
  const [root] =
    chat.root_chat_id === null ? [] : await db.query(findChat, { id: chat.root_chat_id });
  const id = chat.workspace_id ?? (root?.owner_id === chat.owner_id ? root.workspace_id : null);
  const [row] = id === null ? [] : await db.query(findWorkspace, { id });
  return row?.status === 'deleted' ? undefined : row;
}
