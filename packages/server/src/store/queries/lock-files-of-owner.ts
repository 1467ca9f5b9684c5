import { statement } from '../statement.ts';

/** Until the transaction ends: files of one owner are counted and added one after the other. */
export const lockFilesOfOwner = statement<never>(
  'lock-files-of-owner',
  `SELECT pg_advisory_xact_lock($1::integer, hashtext($2::text))`,
);
