import type { JsonText } from '../json.ts';
import { statement } from '../statement.ts';

export const findChatContext = statement<
  { chat_id: string },
  { workspace_id: string; context: unknown }
>('find-chat-context', `SELECT workspace_id, context FROM chat_contexts WHERE chat_id = :chat_id`);

export const keepChatContext = statement<
  { chat_id: string; workspace_id: string; context: JsonText },
  never
>(
  'keep-chat-context',
  `INSERT INTO chat_contexts (chat_id, workspace_id, context) VALUES (:chat_id, :workspace_id, :context)
   ON CONFLICT (chat_id) DO UPDATE
      SET workspace_id = excluded.workspace_id, context = excluded.context, created_at = now()`,
);

export const forgetChatContext = statement<{ chat_id: string }, never>(
  'forget-chat-context',
  `DELETE FROM chat_contexts WHERE chat_id = :chat_id`,
);
