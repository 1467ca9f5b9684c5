import type { Database } from '../store/database.ts';
import { findSession } from '../store/queries/sessions.ts';
import { findToken } from '../store/queries/tokens.ts';
import type { UserRow } from '../store/accounts.ts';
import { bearerSecret } from './bearer.ts';
import type { Caller } from './caller.ts';
import type { LastUsed } from './last-used.ts';
import type { OriginHeaders } from './origin.ts';
import { hashSecret } from './secret.ts';
import { readSessionCookie } from './session-cookie.ts';

/** The headers of a request that identify its sender. */
export interface Credentials extends OriginHeaders {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** The origin of our own pages, as the browser sees it. */
  readonly ownOrigin: string;
  /** The request changes data or opens a WebSocket: with a cookie, it must come from a page of ours. */
  readonly needsOwnOrigin: boolean;
}

export type Authentication =
  | { readonly caller: Caller; readonly by: 'token' | 'cookie' }
  | {
      readonly caller: null;
      readonly why: 'missing' | 'invalid' | 'expired' | 'suspended';
    };

/** A token takes precedence over a cookie. A request with an invalid token is not authenticated by its cookie. */
export class Authenticator {
  readonly #database: Database;
  readonly #lastUsed: LastUsed;

  constructor(database: Database, lastUsed: LastUsed) {
    this.#database = database;
    this.#lastUsed = lastUsed;
  }

  async authenticate({
    authorization,
    cookie,
  }: Pick<Credentials, 'authorization' | 'cookie'>): Promise<Authentication> {
    if (authorization !== undefined) return await this.#byToken(authorization);
    const secret = readSessionCookie(cookie);
    if (secret !== undefined) return await this.#bySession(secret);
    return { caller: null, why: 'missing' };
  }

  async #byToken(authorization: string): Promise<Authentication> {
    const secret = bearerSecret(authorization);
    if (secret === undefined) return { caller: null, why: 'invalid' };
    const [token] = await this.#database.query(findToken, { secret_hash: hashSecret(secret) });
    if (token === undefined) return { caller: null, why: 'invalid' };
    if (token.suspended) return { caller: null, why: 'suspended' };
    if (token.expired) return { caller: null, why: 'expired' };
    this.#lastUsed.note(token.token_id, new Date());
    const { token_id: tokenId, scopes, expires_at: expiresAt } = token;
    const caller = { user: userOf(token), scopes, expiresAt, tokenId, session: null };
    return { caller, by: 'token' };
  }

  async #bySession(secret: string): Promise<Authentication> {
    const session = hashSecret(secret);
    const [row] = await this.#database.query(findSession, { secret_hash: session });
    if (row === undefined) return { caller: null, why: 'invalid' };
    if (row.suspended) return { caller: null, why: 'suspended' };
    // No expiry: the user can sign in again, so a token created by a session may outlive the session.
    const caller = { user: userOf(row), scopes: null, expiresAt: null, tokenId: null, session };
    return { caller, by: 'cookie' };
  }
}

const userOf = (row: UserRow): UserRow => ({
  id: row.id,
  username: row.username,
  role: row.role,
  has_password: row.has_password,
  suspended: row.suspended,
  spend_limit_micros: row.spend_limit_micros,
  created_at: row.created_at,
});
