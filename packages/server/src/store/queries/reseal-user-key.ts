import { statement } from '../statement.ts';

/** Unless it was changed or taken back meanwhile. */
export const resealUserKey = statement<{ user_id: string }>(
  'reseal-user-key',
  `UPDATE user_keys SET secrets = $4 WHERE provider_id = $1 AND user_id = $2 AND secrets = $3
   RETURNING user_id`,
);
