import { statement } from '../statement.ts';

/** Of locked files: those that were not purged are in use. */
export const keepUsedFiles = statement<never>(
  'keep-used-files',
  `UPDATE files SET unused_since = NULL WHERE id = ANY ($1::uuid[])`,
);
