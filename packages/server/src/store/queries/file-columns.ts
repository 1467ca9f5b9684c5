/** What a `FileRow` has. */
export const FILE_COLUMNS = `id, name, media_type, size, created_at,
  ARRAY (SELECT chat_files.chat_id
           FROM chat_files JOIN chats ON chats.id = chat_files.chat_id
          WHERE chat_files.file_id = files.id AND chats.deleted_at IS NULL
          ORDER BY chat_files.chat_id) AS chat_ids`;
