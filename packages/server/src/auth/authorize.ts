import { type RequiredScope, type Route, type Scope, scopesOf } from '@chatd/protocol';
import { notFound, Refused } from '../chat/refused.ts';
import type { Queryable } from '../store/statement.ts';
import type {
  Authentication,
  AuthenticationFailure,
  Authenticator,
  Credentials,
} from './authenticate.ts';
import { type Caller, hasScope, isAdmin } from './caller.ts';
import { isOwnOrigin } from './origin.ts';
import type { Access, AccessRole } from '../store/queries/sharing/roles.ts';
import { type Included, RESOURCES, type ResourceParam, type Resources } from './resources.ts';

export const SUSPENDED = 'This account is suspended. Ask an admin.';

const LINK_ONLY = 'A link to a chat only shows that chat. Sign in to do this.';

const RANK: Readonly<Record<AccessRole, number>> = { viewer: 0, editor: 1, owner: 2 };

export const hasRole = ({ role }: Pick<Access, 'role'>, needed: AccessRole): boolean =>
  RANK[role] >= RANK[needed];

/** For something that the caller may see. `what` names it, or a part of it. */
export function requireRole(access: Access, needed: AccessRole, what: string = 'chat'): void {
  if (hasRole(access, needed)) return;
  const owner = access.owner_name === null ? '' : `, ${access.owner_name},`;
  throw new Refused(
    'role_required',
    needed === 'owner'
      ? `Only the owner of this ${what}${owner} can do this.`
      : `This requires the role ${needed}. Ask the owner of this ${what}${owner} for it.`,
  );
}

/** Authorizes every call in the same order: authentication, scope, role, then (`find`) resources by owner. */
export class Authorizer {
  readonly #authenticator: Authenticator;
  readonly #db: Queryable;

  constructor(authenticator: Authenticator, db: Queryable) {
    this.#authenticator = authenticator;
    this.#db = db;
  }

  /** Authenticates without requiring it. Refuses cookies that a page of another site sends. */
  async identify(credentials: Credentials): Promise<Authentication> {
    const authentication = await this.#authenticator.authenticate(credentials);
    if (credentials.authorization === undefined && credentials.needsOwnOrigin) {
      checkOrigin(credentials, authentication.caller !== null);
    }
    return authentication;
  }

  /** Null: authentication is optional. */
  async authorize(
    credentials: Credentials,
    required: RequiredScope,
    { role, link }: Pick<Route, 'role' | 'link'> = {},
  ): Promise<Caller | null> {
    const authentication = await this.identify(credentials);
    const { caller } = authentication;
    const isForbidden = caller?.link !== undefined && link !== true;
    if (required === null) return isForbidden ? null : caller;
    if (caller === null) throw unauthenticated(authentication.why);
    if (isForbidden) throw new Refused('insufficient_scope', LINK_ONLY);
    for (const scope of scopesOf(required)) checkScope(caller, scope);
    if (role !== undefined && caller.user.role !== role) checkScope(caller, 'admin');
    return caller;
  }

  /**
   * The resources that the ids of a path name. Refuses if the caller may not see one of them, or has less than the needed
   * role in it.
   */
  async find(
    caller: Caller,
    params: Readonly<Record<string, unknown>>,
    included: Included,
    needed: AccessRole = 'owner',
  ): Promise<Partial<Resources>> {
    const found: Partial<Record<keyof Resources, unknown>> = {};
    for (const param of Object.keys(RESOURCES) as ResourceParam[]) {
      const id = params[param];
      if (typeof id !== 'string') continue;
      const { name, find } = RESOURCES[param];
      const row = await find(this.#db, id, caller, included);
      if (row === undefined) throw notFound();
      if ('owner_name' in row) requireRole(row, needed, name);
      found[name] = row;
    }
    return found as Partial<Resources>;
  }
}

function checkScope(caller: Caller, scope: Scope): void {
  if (!hasScope(caller, scope)) {
    throw new Refused('insufficient_scope', `This call requires a token with the scope ${scope}.`);
  }
  if (scope === 'admin' && !isAdmin(caller)) {
    throw new Refused('admin_required', 'This call requires an admin.');
  }
}

/** Browsers send the origin with every request that changes state, so a cookie without one is not from our pages. */
function checkOrigin(credentials: Credentials, withCookie: boolean): void {
  if (credentials.origin === undefined && !withCookie) return;
  if (isOwnOrigin(credentials)) return;
  throw new Refused(
    'origin_not_allowed',
    `A request with a session cookie that changes data or opens a WebSocket must come from a page of ${credentials.ownOrigin}.`,
  );
}

function unauthenticated(why: AuthenticationFailure): Refused {
  switch (why) {
    case 'suspended':
      return new Refused('unauthenticated', SUSPENDED);
    case 'expired':
      return new Refused('token_expired', 'The token has expired. Create a new one.');
    case 'invalid':
      return new Refused(
        'unauthenticated',
        'The token or session is not valid. It may have been revoked.',
      );
    case 'missing':
      return new Refused(
        'unauthenticated',
        'Send Authorization: Bearer TOKEN, or sign in with a browser.',
      );
  }
}
