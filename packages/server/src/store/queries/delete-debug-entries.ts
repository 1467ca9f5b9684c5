import { statement } from '../statement.ts';

export const deleteDebugEntries = statement<never>(
  'delete-debug-entries',
  `DELETE FROM debug_entries WHERE chat_id = $1`,
);
