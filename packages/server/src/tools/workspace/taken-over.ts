import type { ChatRow } from '../../chat/row.ts';
import { findChat } from '../../store/queries/chats/find.ts';
import type { Queryable } from '../../store/statement.ts';

/** Whether another runner than that of `chat` continues a call. Its command is not the caller's to kill. */
export async function isTakenOver(
  database: Queryable,
  chat: Pick<ChatRow, 'id' | 'runner_id'>,
  callId: string,
): Promise<boolean> {
  const [current] = await database.query(findChat, { id: chat.id });
  if (current === undefined || current.runner_id === chat.runner_id) return false;
  return current.open_calls.some(({ tool_call_id }) => tool_call_id === callId);
}
