import { statement } from '../statement.ts';

export const deleteUserKey = statement<{ user_id: string }>(
  'delete-user-key',
  `DELETE FROM user_keys WHERE provider_id = $1 AND user_id = $2 RETURNING user_id`,
);
