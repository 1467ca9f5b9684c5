import { statement } from '../statement.ts';

/** No row: the provider does not accept user keys. */
export const putUserKey = statement<
  { provider_id: string; user_id: string; secrets: string },
  { user_id: string }
>(
  'put-user-key',
  `INSERT INTO user_keys (provider_id, user_id, secrets)
   SELECT providers.id, :user_id, :secrets
     FROM providers
    WHERE providers.id = :provider_id AND providers.enabled AND providers.allow_user_keys
   ON CONFLICT (provider_id, user_id) DO UPDATE SET secrets = excluded.secrets, created_at = now()
   RETURNING user_id`,
);

export const deleteUserKey = statement<
  { provider_id: string; user_id: string },
  { user_id: string }
>(
  'delete-user-key',
  `DELETE FROM user_keys WHERE provider_id = :provider_id AND user_id = :user_id RETURNING user_id`,
);

/** Unless the key was changed or deleted meanwhile. */
export const resealUserKey = statement<
  {
    provider_id: string;
    user_id: string;
    before: string;
    after: string;
  },
  { user_id: string }
>(
  'reseal-user-key',
  `UPDATE user_keys SET secrets = :after WHERE provider_id = :provider_id AND user_id = :user_id AND secrets = :before
   RETURNING user_id`,
);
