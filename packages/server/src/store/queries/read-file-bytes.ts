import { statement } from '../statement.ts';

export const readFileBytes = statement<{ bytes: Buffer }>(
  'read-file-bytes',
  `SELECT bytes FROM files WHERE id = $1`,
);
