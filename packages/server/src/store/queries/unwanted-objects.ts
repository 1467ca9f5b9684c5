import { statement } from '../statement.ts';

export const unwantedObjects = statement<{ key: string }>(
  'unwanted-objects',
  `SELECT key FROM unwanted_objects WHERE delete_after < now() ORDER BY delete_after LIMIT $1`,
);
