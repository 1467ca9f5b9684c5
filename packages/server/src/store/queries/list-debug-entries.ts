import type { DebugEntry } from '@chatd/protocol';
import { statement } from '../statement.ts';

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
