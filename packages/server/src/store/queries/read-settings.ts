import type { Settings } from '@chatd/protocol';
import { statement } from '../statement.ts';

export const readSettings = statement<{ value: Partial<Settings> }>(
  'read-settings',
  `SELECT value FROM settings`,
);
