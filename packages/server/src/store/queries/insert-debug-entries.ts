import { statement } from '../statement.ts';

export const insertDebugEntries = statement<never>(
  'insert-debug-entries',
  `INSERT INTO debug_entries (id, chat_id, created_at, entry)
   SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::json[])`,
);
