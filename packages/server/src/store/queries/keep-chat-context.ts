import { statement } from '../statement.ts';

export const keepChatContext = statement<never>(
  'keep-chat-context',
  `INSERT INTO chat_contexts (chat_id, workspace_id, context) VALUES ($1, $2, $3)
   ON CONFLICT (chat_id) DO UPDATE
      SET workspace_id = excluded.workspace_id, context = excluded.context, created_at = now()`,
);
