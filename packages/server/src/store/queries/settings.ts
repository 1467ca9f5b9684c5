import type { Settings } from '@chatd/protocol';
import { statement } from '../statement.ts';

export const readSettings = statement<{ value: Partial<Settings> }>(
  'read-settings',
  `SELECT value FROM settings`,
);

/** Field by field: two admins who change different things do not undo each other. */
export const updateSettings = statement<{ value: Partial<Settings> }>(
  'update-settings',
  `UPDATE settings SET value = value || $1::jsonb RETURNING value`,
);
