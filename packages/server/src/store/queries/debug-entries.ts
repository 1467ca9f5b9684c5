import type { DebugEntry } from '@chatd/protocol';
import { statement } from '../statement.ts';

export const insertDebugEntries = statement<never>(
  'insert-debug-entries',
  `INSERT INTO debug_entries (id, chat_id, created_at, entry)
   SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::json[])`,
);

export interface DebugEntryRow {
  readonly id: string;
  readonly chat_id: string;
  readonly created_at: Date;
  readonly entry: Omit<DebugEntry, 'id' | 'chat_id' | 'created_at'>;
}

/** Through debug_entries_by_chat, newest first: ids grow with time. */
export const listDebugEntries = statement<DebugEntryRow>(
  'list-debug-entries',
  `SELECT id, chat_id, created_at, entry
     FROM debug_entries
    WHERE chat_id = $1 AND ($2::uuid IS NULL OR id < $2)
    ORDER BY id DESC
    LIMIT $3`,
);

export const deleteDebugEntries = statement<never>(
  'delete-debug-entries',
  `DELETE FROM debug_entries WHERE chat_id = $1`,
);

/** Entries older than $2 hours, and those of chats that are gone. The table holds no more than the former allow. */
export const purgeDebugEntries = statement<{ id: string }>(
  'purge-debug-entries',
  `DELETE FROM debug_entries
    WHERE id IN (SELECT id
                   FROM debug_entries
                  WHERE created_at < now() - $2::integer * interval '1 hour'
                     OR NOT EXISTS (SELECT FROM chats WHERE chats.id = debug_entries.chat_id)
                  LIMIT $1
                    FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);
