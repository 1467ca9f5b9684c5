import type { StoredPart } from '../chat/row.ts';
import { recentResponses } from './queries/messages/read.ts';
import type { Queryable } from './statement.ts';

export type ToolCall = Extract<StoredPart, { type: 'tool-call' }>;

/**
 * The newest message of a chat with this call, and the call. Call ids are unique within a message only. Only a summary
 * can come between an open call and the end of the history.
 */
export async function findToolCall(
  db: Queryable,
  chatId: string,
  callId: string,
): Promise<{ readonly messageId: number; readonly call: ToolCall } | undefined> {
  for (const { id, content } of await db.query(recentResponses, { chat_id: chatId })) {
    const call = content.find(
      (part): part is ToolCall => part.type === 'tool-call' && part.tool_call_id === callId,
    );
    if (call !== undefined) return { messageId: id, call };
  }
  return undefined;
}
