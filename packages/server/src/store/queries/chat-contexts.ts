import { statement } from '../statement.ts';

export const findChatContext = statement<{ workspace_id: string; context: unknown }>(
  'find-chat-context',
  `SELECT workspace_id, context FROM chat_contexts WHERE chat_id = $1`,
);

export const keepChatContext = statement<never>(
  'keep-chat-context',
  `INSERT INTO chat_contexts (chat_id, workspace_id, context) VALUES ($1, $2, $3)
   ON CONFLICT (chat_id) DO UPDATE
      SET workspace_id = excluded.workspace_id, context = excluded.context, created_at = now()`,
);

export const forgetChatContext = statement<never>(
  'forget-chat-context',
  `DELETE FROM chat_contexts WHERE chat_id = $1`,
);
