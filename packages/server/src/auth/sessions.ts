import { insertSession } from '../store/queries/sessions.ts';
import type { Queryable } from '../store/statement.ts';
import { hashSecret, newSecret } from './secret.ts';
import { SESSION_DAYS, sessionCookie } from './session-cookie.ts';

/** Opens a session and returns its cookie. */
export async function openSession(db: Queryable, userId: string, secure: boolean): Promise<string> {
  const secret = newSecret();
  await db.query(insertSession, {
    secret_hash: hashSecret(secret),
    user_id: userId,
    days: SESSION_DAYS,
  });
  return sessionCookie(secret, secure);
}
