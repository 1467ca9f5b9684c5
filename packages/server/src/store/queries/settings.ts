import type { Settings } from '@chatd/protocol';
import type { JsonText } from '../json.ts';
import { statement } from '../statement.ts';

export const readSettings = statement<null, { value: Partial<Settings> }>(
  'read-settings',
  `SELECT value FROM settings`,
);

/** Merges by field, so that two admins who change different settings do not overwrite each other. */
export const updateSettings = statement<{ changes: JsonText }, { value: Partial<Settings> }>(
  'update-settings',
  `UPDATE settings SET value = value || :changes::jsonb RETURNING value`,
);
