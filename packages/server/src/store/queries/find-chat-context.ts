import { statement } from '../statement.ts';

export const findChatContext = statement<{ workspace_id: string; context: unknown }>(
  'find-chat-context',
  `SELECT workspace_id, context FROM chat_contexts WHERE chat_id = $1`,
);
