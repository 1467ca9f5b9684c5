import { statement } from '../statement.ts';

/** Only where the provider takes keys of users. */
export const putUserKey = statement<{ user_id: string }>(
  'put-user-key',
  `INSERT INTO user_keys (provider_id, user_id, secrets)
   SELECT providers.id, $2, $3
     FROM providers
    WHERE providers.id = $1 AND providers.enabled AND providers.allow_user_keys
   ON CONFLICT (provider_id, user_id) DO UPDATE SET secrets = excluded.secrets, created_at = now()
   RETURNING user_id`,
);

export const deleteUserKey = statement<{ user_id: string }>(
  'delete-user-key',
  `DELETE FROM user_keys WHERE provider_id = $1 AND user_id = $2 RETURNING user_id`,
);

/** Unless it was changed or taken back meanwhile. */
export const resealUserKey = statement<{ user_id: string }>(
  'reseal-user-key',
  `UPDATE user_keys SET secrets = $4 WHERE provider_id = $1 AND user_id = $2 AND secrets = $3
   RETURNING user_id`,
);
