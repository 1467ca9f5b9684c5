import { statement } from '../statement.ts';

export const forgetChatContext = statement<never>(
  'forget-chat-context',
  `DELETE FROM chat_contexts WHERE chat_id = $1`,
);
