import { statement } from '../statement.ts';

/** Objects that are deleted. */
export const forgetObjects = statement<never>(
  'forget-objects',
  `DELETE FROM unwanted_objects WHERE key = ANY ($1::text[])`,
);
