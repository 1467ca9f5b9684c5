import { statement } from '../statement.ts';

/** Unless somebody stored another key meanwhile. */
export const resealProvider = statement<{ id: string }>(
  'reseal-provider',
  `UPDATE providers SET secrets = $3 WHERE id = $1 AND secrets = $2 RETURNING id`,
);
