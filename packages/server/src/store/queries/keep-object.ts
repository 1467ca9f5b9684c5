import { statement } from '../statement.ts';

/** In the transaction that stores the file of an announced object. */
export const keepObject = statement<never>(
  'keep-object',
  `DELETE FROM unwanted_objects WHERE key = $1::uuid::text`,
);
