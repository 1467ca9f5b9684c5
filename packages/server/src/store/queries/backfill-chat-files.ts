import { statement } from '../statement.ts';

/** The files that the messages of the next $1 chats name. Messages of after migration 0017 are known: triggers see them. */
export const backfillChatFiles = statement<{ id: string }>(
  'backfill-chat-files',
  `WITH batch AS MATERIALIZED (
     SELECT id FROM chats
      WHERE id > (SELECT last_chat_id FROM chat_files_backfill)
      ORDER BY id
      LIMIT $1
   ), named AS (
     SELECT batch.id AS chat_id, content.file_id
       FROM batch
       JOIN messages ON messages.chat_id = batch.id
      CROSS JOIN LATERAL files_named_in(messages.content) AS content (file_id)
     UNION
     SELECT batch.id, content.file_id
       FROM batch
       JOIN queued_messages ON queued_messages.chat_id = batch.id
      CROSS JOIN LATERAL files_named_in(queued_messages.content::json) AS content (file_id)
   ), used AS (
     INSERT INTO chat_files (chat_id, file_id)
     SELECT named.chat_id, files.id FROM named JOIN files ON files.id = named.file_id
     ON CONFLICT DO NOTHING
   ), moved AS (
     UPDATE chat_files_backfill
        SET last_chat_id = (SELECT id FROM batch ORDER BY id DESC LIMIT 1)
      WHERE EXISTS (SELECT FROM batch)
   )
   SELECT id FROM batch`,
);
