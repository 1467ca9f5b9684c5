import { statement } from '../statement.ts';

/** Before an object is written: housekeeping deletes it, unless its file is stored within an hour. */
export const announceObject = statement<never>(
  'announce-object',
  `INSERT INTO unwanted_objects (key, delete_after) VALUES ($1::uuid::text, now() + interval '1 hour')`,
);
