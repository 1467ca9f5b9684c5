import type { ChatRow } from '../../chat/row.ts';
import { findChat } from '../../store/queries/chats/find.ts';
import type { Queryable } from '../../store/statement.ts';

/** A chat without its own workspace uses that of its root chat. */
export async function workspaceOfChat(
  { workspace_id, root_chat_id, owner_id }: ChatRow,
  db: Queryable,
): Promise<string | null> {
  if (workspace_id !== null) return workspace_id;
  if (root_chat_id === null) return null;
  const [root] = await db.query(findChat, { id: root_chat_id });
  return root?.owner_id === owner_id ? root.workspace_id : null;
}
