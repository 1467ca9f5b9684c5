import { type RequiredScope, type Scope, scopesOf } from '@chatd/protocol';
import { notFound, RequestRefused } from '../http/refusal.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Queryable } from '../store/statement.ts';
import type { Authentication, Authenticator } from './authenticate.ts';
import { type Caller, hasScope, isAdmin } from './caller.ts';
import { isOwnOrigin } from './origin.ts';
import { RESOURCES, type ResourceParam, type Resources } from './resources.ts';

export const SUSPENDED = 'This account is suspended. Ask an admin.';

/** What has to be true of whoever asks. */
export interface Demand {
  /** Null: the call needs no authentication. */
  readonly scope: RequiredScope;
  /** Ids in the path, parsed once the caller is known: all must be of things that the caller may see. */
  readonly params: () => Readonly<Record<string, unknown>>;
  /** Deleted chats, too. */
  readonly deleted?: boolean;
  /** Chats of others, too. */
  readonly anyOwner?: boolean;
}

export interface Authorised {
  readonly caller: Caller | null;
  readonly found: Partial<Resources>;
}

/**
 * The one path to anything: authenticate, then scope, then role, then the resource by its owner. Every call goes
 * through here, whatever it is answered with.
 */
export class Gate {
  readonly #authenticator: Authenticator;
  readonly #db: Queryable;

  constructor(authenticator: Authenticator, db: Queryable) {
    this.#authenticator = authenticator;
    this.#db = db;
  }

  /** Who asks, if anybody known; a page of another site is turned away here. */
  async identify(exchange: Exchange): Promise<Authentication> {
    const authorization = exchange.header('authorization');
    const cookie = exchange.header('cookie');
    const authentication = await this.#authenticator.authenticate({ authorization, cookie });
    const isForOwnPages = exchange.changesSomething || exchange.upgrade !== undefined;
    if (authorization === undefined && isForOwnPages) {
      checkOrigin(exchange, authentication.caller !== null);
    }
    return authentication;
  }

  async admit(exchange: Exchange, demand: Demand): Promise<Authorised> {
    const authentication = await this.identify(exchange);
    const { caller } = authentication;
    if (demand.scope === null) return { caller, found: {} };
    if (caller === null) throw unauthenticated(authentication.why);
    for (const scope of scopesOf(demand.scope)) checkScope(caller, scope);
    return { caller, found: await this.#find(caller, demand) };
  }

  async #find(caller: Caller, demand: Demand): Promise<Partial<Resources>> {
    const params = demand.params();
    const found: Partial<Record<keyof Resources, unknown>> = {};
    for (const param of Object.keys(RESOURCES) as ResourceParam[]) {
      const id = params[param];
      if (typeof id !== 'string') continue;
      const { name, find } = RESOURCES[param];
      const row = await find(this.#db, id, caller, demand);
      if (row === undefined) throw notFound();
      found[name] = row;
    }
    return found as Partial<Resources>;
  }
}

function checkScope(caller: Caller, scope: Scope): void {
  if (!hasScope(caller, scope)) {
    throw new RequestRefused(
      'insufficient_scope',
      `This call requires a token with the scope ${scope}.`,
    );
  }
  if (scope === 'admin' && !isAdmin(caller)) {
    throw new RequestRefused('admin_required', 'Only an admin may do this.');
  }
}

/** Browsers name the origin of whatever changes something; a cookie without that comes from no page of ours. */
function checkOrigin(exchange: Exchange, withCookie: boolean): void {
  const origin = exchange.header('origin');
  if (origin === undefined && !withCookie) return;
  const secFetchSite = exchange.header('sec-fetch-site');
  if (isOwnOrigin({ host: exchange.header('host'), origin, secFetchSite })) return;
  throw new RequestRefused(
    'origin_not_allowed',
    `A request with a cookie that changes something, or opens a WebSocket, must come from a page of ${exchange.origin}.`,
  );
}

type Failure = Extract<Authentication, { readonly caller: null }>['why'];

function unauthenticated(why: Failure): RequestRefused {
  switch (why) {
    case 'suspended':
      return new RequestRefused('unauthenticated', SUSPENDED);
    case 'expired':
      return new RequestRefused('token_expired', 'The token has expired: create a new one.');
    case 'not_valid':
      return new RequestRefused(
        'unauthenticated',
        'The token or session is not valid: it may have been revoked.',
      );
    case 'nothing_shown':
      return new RequestRefused(
        'unauthenticated',
        'Send Authorization: Bearer TOKEN, or sign in with a browser.',
      );
  }
}
