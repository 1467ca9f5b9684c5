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
