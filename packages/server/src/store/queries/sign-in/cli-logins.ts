import type { UserRow } from '../../accounts.ts';
import { statement } from '../../statement.ts';
import { USER_COLUMNS } from '../users.ts';

/** No row: the user code is taken. */
export const insertCliLogin = statement<
  {
    secret_hash: Buffer;
    challenge: Buffer | null;
    user_code: string | null;
    name: string;
    user_id: string | null;
    minutes: number;
  },
  { expires_at: Date }
>(
  'insert-cli-login',
  `INSERT INTO cli_logins (secret_hash, challenge, user_code, name, user_id, expires_at)
   VALUES (:secret_hash, :challenge, :user_code, :name, :user_id, now() + :minutes::integer * interval '1 minute')
   ON CONFLICT (user_code) DO NOTHING
   RETURNING expires_at`,
);

/** No row: the code is unknown, was used, or has expired. */
export const approveCliLogin = statement<{ user_code: string; user_id: string }, { name: string }>(
  'approve-cli-login',
  `UPDATE cli_logins SET user_id = :user_id
    WHERE user_code = :user_code AND user_id IS NULL AND expires_at > now()
   RETURNING name`,
);

/** An approved login, which works once. No row: it is pending, unknown, or has expired. */
export const useCliLogin = statement<
  { secret_hash: Buffer; challenge: Buffer | null },
  UserRow & { readonly token_name: string }
>(
  'use-cli-login',
  `DELETE FROM cli_logins
    USING users
    WHERE cli_logins.secret_hash = :secret_hash
      AND cli_logins.challenge IS NOT DISTINCT FROM :challenge::bytea
      AND cli_logins.expires_at > now()
      AND users.id = cli_logins.user_id AND users.suspended_at IS NULL
   RETURNING ${USER_COLUMNS}, cli_logins.name AS token_name`,
);

export const findPendingCliLogin = statement<{ secret_hash: Buffer }, { name: string }>(
  'find-pending-cli-login',
  `SELECT name FROM cli_logins WHERE secret_hash = :secret_hash AND user_id IS NULL AND expires_at > now()`,
);

/** Approved logins that were not finished. */
export const deleteCliLogins = statement<{ user_id: string }, never>(
  'delete-cli-logins',
  `DELETE FROM cli_logins WHERE user_id = :user_id`,
);

export const purgeCliLogins = statement<{ limit: number }, { name: string }>(
  'purge-cli-logins',
  `DELETE FROM cli_logins
    WHERE secret_hash IN (SELECT secret_hash FROM cli_logins
                           WHERE expires_at < now() LIMIT :limit FOR UPDATE SKIP LOCKED)
   RETURNING name`,
);
