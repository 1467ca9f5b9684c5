import { statement } from '../statement.ts';

/** The chats above a chat, its parent first. UNION leaves out what was there before, so it ends even in a circle. */
export const ancestorsOfChat = statement<{ id: string }>(
  'ancestors-of-chat',
  `WITH RECURSIVE line AS (
     SELECT id, parent_chat_id FROM chats WHERE id = $1
     UNION
     SELECT chats.id, chats.parent_chat_id FROM chats JOIN line ON chats.id = line.parent_chat_id
   )
   SELECT id FROM line WHERE id <> $1`,
);
