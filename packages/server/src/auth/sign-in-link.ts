import type { Database } from '../store/database.ts';
import { insertSignInLink, useSignInLink } from '../store/queries/sign-in-links.ts';
import type { Queryable } from '../store/statement.ts';
import { hashSecret, newSecret } from './secret.ts';
import { openSession } from './sessions.ts';

export interface SignInLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/** Undefined: the user does not exist. */
export async function newSignInLink(
  db: Queryable,
  userId: string,
  origin: string,
): Promise<SignInLink | undefined> {
  const secret = newSecret();
  const [link] = await db.query(insertSignInLink, {
    secret_hash: hashSecret(secret),
    user_id: userId,
  });
  return link && { url: `${origin}/sign-in?token=${secret}`, expiresAt: link.expires_at };
}

/** Uses the link and returns the cookie of the new session. Null: the link was used or has expired. */
export async function signInByLink(
  database: Database,
  secret: string,
  { ip, secure }: { readonly ip: string; readonly secure: boolean },
): Promise<string | null> {
  return await database.transaction(async (tx) => {
    const [user] = await tx.query(useSignInLink, { secret_hash: hashSecret(secret) });
    return user === undefined ? null : await openSession(tx, { user, by: 'link', ip }, secure);
  });
}
