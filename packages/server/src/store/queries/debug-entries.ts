import type { DebugEntry } from '@chatd/protocol';
import type { JsonText } from '../json.ts';
import { statement } from '../statement.ts';

export const insertDebugEntries = statement<
  {
    ids: readonly string[];
    chat_ids: readonly string[];
    created_ats: readonly Date[];
    entries: readonly JsonText[];
  },
  never
>(
  'insert-debug-entries',
  `INSERT INTO debug_entries (id, chat_id, created_at, entry)
   SELECT * FROM unnest(:ids::uuid[], :chat_ids::uuid[], :created_ats::timestamptz[], :entries::json[])`,
);

export interface DebugEntryRow {
  readonly id: string;
  readonly chat_id: string;
  readonly created_at: Date;
  readonly entry: Omit<DebugEntry, 'id' | 'chat_id' | 'created_at'>;
}

/** Through debug_entries_by_chat, newest first: ids grow with time. */
export const listDebugEntries = statement<
  { chat_id: string; before_id: string | null; limit: number },
  DebugEntryRow
>(
  'list-debug-entries',
  `SELECT id, chat_id, created_at, entry
     FROM debug_entries
    WHERE chat_id = :chat_id AND (:before_id::uuid IS NULL OR id < :before_id)
    ORDER BY id DESC
    LIMIT :limit`,
);

export const deleteDebugEntries = statement<{ chat_id: string }, never>(
  'delete-debug-entries',
  `DELETE FROM debug_entries WHERE chat_id = :chat_id`,
);

/** Entries older than :hours hours, and those of deleted chats. */
export const purgeDebugEntries = statement<{ limit: number; hours: number }, { id: string }>(
  'purge-debug-entries',
  `DELETE FROM debug_entries
    WHERE id IN (SELECT id
                   FROM debug_entries
                  WHERE created_at < now() - :hours::integer * interval '1 hour'
                     OR NOT EXISTS (SELECT FROM chats WHERE chats.id = debug_entries.chat_id)
                  LIMIT :limit
                    FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);
