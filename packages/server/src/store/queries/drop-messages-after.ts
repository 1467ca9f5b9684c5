import { statement } from '../statement.ts';

/** What was spent on them stays in model_calls. Hidden ones are told apart: clients never knew them. */
export const dropMessagesAfter = statement<{ id: number; hidden: boolean }>(
  'drop-messages-after',
  `DELETE FROM messages WHERE chat_id = $1 AND id > $2 RETURNING id, hidden`,
);
