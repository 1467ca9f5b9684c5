import type { Database } from '../store/database.ts';
import { findSession } from '../store/queries/sessions.ts';
import { findLink } from '../store/queries/sharing/links.ts';
import { findToken } from '../store/queries/tokens.ts';
import type { UserRow } from '../store/accounts.ts';
import type { Caller } from './caller.ts';
import { CallerCache, type LookedUp } from './caller-cache.ts';
import type { LastUsed } from './last-used.ts';
import type { OriginHeaders } from './origin.ts';
import { bearerSecret, hashSecret, LINK_PREFIX } from './secret.ts';
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

export type AuthenticationFailure = 'missing' | 'invalid' | 'expired' | 'suspended';

export type Authentication =
  | { readonly caller: Caller; readonly by: 'token' | 'cookie' }
  | { readonly caller: null; readonly why: AuthenticationFailure };

/** A token takes precedence over a cookie. A request with an invalid token is not authenticated by its cookie. */
export class Authenticator {
  readonly #database: Database;
  readonly #lastUsed: LastUsed;
  readonly #callers = new CallerCache();

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

  /** Call it when the rights of a user may have changed. Their next request reads them from the database. */
  forget(userId: string): void {
    this.#callers.forget(userId);
  }

  async #byToken(authorization: string): Promise<Authentication> {
    const secret = bearerSecret(authorization);
    if (secret === undefined) return { caller: null, why: 'invalid' };
    const hash = hashSecret(secret);
    const key = `token ${hash.toString('base64')}`;
    const authentication = await this.#callers.find(key, () =>
      secret.startsWith(LINK_PREFIX) ? this.#lookUpLink(hash) : this.#lookUpToken(hash),
    );
    const tokenId = authentication.caller?.tokenId ?? null;
    if (tokenId !== null) this.#lastUsed.note(tokenId, new Date());
    return authentication;
  }

  async #lookUpToken(hash: Buffer): Promise<LookedUp> {
    const [token] = await this.#database.query(findToken, { secret_hash: hash });
    if (token === undefined) return failed('invalid');
    if (token.suspended) return failed('suspended');
    if (token.expired) return failed('expired');
    const { token_id: tokenId, scopes, expires_at: expiresAt, expires_soon: expiresSoon } = token;
    const caller = { user: userOf(token), scopes, expiresAt, tokenId, session: null };
    return { authentication: { caller, by: 'token' }, expiresSoon };
  }

  /** The placeholder of a user has the id of the chat, so that `forget` and limits apply to the link. */
  async #lookUpLink(secretHash: Buffer): Promise<LookedUp> {
    const [found] = await this.#database.query(findLink, { secret_hash: secretHash });
    if (found === undefined) return failed('invalid');
    const { chat_id: chatId, created_at, expires_soon: expiresSoon } = found;
    const user: UserRow = {
      id: chatId,
      username: 'link',
      role: 'member',
      has_password: false,
      suspended: false,
      spend_limit_micros: null,
      created_at,
    };
    const caller: Caller = {
      user,
      scopes: ['read'],
      expiresAt: null,
      tokenId: null,
      session: null,
      link: { chatId, secretHash },
    };
    return { authentication: { caller, by: 'token' }, expiresSoon };
  }

  async #bySession(secret: string): Promise<Authentication> {
    const hash = hashSecret(secret);
    const key = `session ${hash.toString('base64')}`;
    return await this.#callers.find(key, () => this.#lookUpSession(hash));
  }

  async #lookUpSession(session: Buffer): Promise<LookedUp> {
    const [row] = await this.#database.query(findSession, { secret_hash: session });
    if (row === undefined) return failed('invalid');
    if (row.suspended) return failed('suspended');
    // No expiry: the user can sign in again, so a token created by a session may outlive the session.
    const caller = { user: userOf(row), scopes: null, expiresAt: null, tokenId: null, session };
    return { authentication: { caller, by: 'cookie' }, expiresSoon: row.expires_soon };
  }
}

const failed = (why: AuthenticationFailure): LookedUp => ({
  authentication: { caller: null, why },
  expiresSoon: false,
});

const userOf = (row: UserRow): UserRow => ({
  id: row.id,
  username: row.username,
  role: row.role,
  has_password: row.has_password,
  suspended: row.suspended,
  spend_limit_micros: row.spend_limit_micros,
  created_at: row.created_at,
});
