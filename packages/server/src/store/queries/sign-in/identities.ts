import { IDENTITY_LOCKS } from '../../../postgres/advisory-locks.ts';
import type { UserRow } from '../../accounts.ts';
import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';
import { USER_COLUMNS } from '../users.ts';

/** Held while the account of an identity is found or created: concurrent first sign-ins create one user. */
export const lockIdentity = statement<{ issuer: string; subject: string }, object>(
  'lock-identity',
  `SELECT pg_advisory_xact_lock(${IDENTITY_LOCKS}, hashtext(:issuer::text || ' ' || :subject::text))`,
);

export const findIdentity = statement<{ issuer: string; subject: string }, UserRow>(
  'find-identity',
  `SELECT ${USER_COLUMNS}
     FROM user_identities JOIN users ON users.id = user_identities.user_id
    WHERE user_identities.issuer = :issuer AND user_identities.subject = :subject`,
);

/** Adds the identity, or updates it with the claims of a sign-in. */
export const saveIdentity = statement<
  { issuer: string; subject: string; user_id: string; email: string | null; groups: JsonText },
  never
>(
  'save-identity',
  `INSERT INTO user_identities (issuer, subject, user_id, email, groups)
   VALUES (:issuer, :subject, :user_id, :email, :groups)
   ON CONFLICT (issuer, subject)
   DO UPDATE SET email = excluded.email, groups = excluded.groups, last_sign_in_at = now()`,
);

export interface IdentityRow {
  readonly issuer: string;
  readonly email: string | null;
  readonly created_at: Date;
  readonly last_sign_in_at: Date;
}

export const identitiesOfUser = statement<{ user_id: string }, IdentityRow>(
  'identities-of-user',
  `SELECT issuer, email, created_at, last_sign_in_at
     FROM user_identities WHERE user_id = :user_id ORDER BY created_at`,
);

/** No row: the sign-in was finished before. */
export const finishSignIn = statement<{ state_hash: Buffer }, { finished: boolean }>(
  'finish-sign-in',
  `INSERT INTO finished_sign_ins (state_hash, expires_at) VALUES (:state_hash, now() + interval '1 hour')
   ON CONFLICT (state_hash) DO NOTHING
   RETURNING true AS finished`,
);

export const purgeFinishedSignIns = statement<{ limit: number }, { expires_at: Date }>(
  'purge-finished-sign-ins',
  `DELETE FROM finished_sign_ins
    WHERE state_hash IN (SELECT state_hash FROM finished_sign_ins
                          WHERE expires_at < now() LIMIT :limit FOR UPDATE SKIP LOCKED)
   RETURNING expires_at`,
);
