import type { UserRow } from '../store/accounts.ts';
import { insertSession } from '../store/queries/sessions.ts';
import type { Transaction } from '../store/transaction.ts';
import { writeAuditEvent } from './audit.ts';
import { hashSecret, newSecret } from './secret.ts';
import { SESSION_DAYS, sessionCookie } from './session-cookie.ts';

export interface NewSession {
  readonly user: Pick<UserRow, 'id' | 'username'>;
  /** How the user signed in. */
  readonly by: 'password' | 'link' | 'oidc';
  /** The OIDC provider that signed in the user. */
  readonly issuer?: string;
  readonly ip: string;
}

/** Opens a session and returns its cookie. */
export async function openSession(
  tx: Transaction,
  { user, by, ip, issuer }: NewSession,
  secure: boolean,
): Promise<string> {
  const secret = newSecret();
  const actor = { kind: 'user', id: user.id, name: user.username, ip } as const;
  await tx.query(insertSession, {
    secret_hash: hashSecret(secret),
    user_id: user.id,
    days: SESSION_DAYS,
    issuer: issuer ?? null,
  });
  await writeAuditEvent(tx, actor, { action: 'user.sign_in', targetId: user.id, detail: { by } });
  return sessionCookie(secret, secure);
}
