import { createHash } from 'node:crypto';
import { networkOf } from '../auth/network.ts';
import { countSignInAttempt, uncountSignInAttempt } from '../store/queries/sign-in-attempts.ts';
import type { Queryable } from '../store/statement.ts';
import { limitReached } from '../chat/refused.ts';

const WINDOW_SECONDS = 15 * 60;

/**
 * Failed attempts per window. An account is protected from many addresses, an address cannot try many accounts, and one
 * address alone cannot use up the attempts of an account.
 */
const MOST = { account: 100, address: 100, account_at_address: 10 } as const;

type Scope = keyof typeof MOST;

const SCOPES = Object.keys(MOST) as Scope[];

/**
 * The number of rows per scope that the table can have. Names and addresses that share a bucket share its limit; made-up
 * names get buckets, too, so that an answer does not tell whether an account exists.
 */
const BUCKETS = 2 ** 20;

/** Failed sign-ins by account and by address, in the database: all replicas count together, and a restart forgets nothing. */
export class SignInAttempts {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Counts an attempt before its password is checked, so that parallel attempts count. Throws `Refused`. */
  async begin(username: string, address: string): Promise<void> {
    const rows = await this.#db.query(countSignInAttempt, {
      scopes: SCOPES,
      buckets: bucketsOf(username, address),
      limits: SCOPES.map((scope) => MOST[scope]),
      window_seconds: WINDOW_SECONDS,
    });
    const waits = rows
      .filter(({ scope, attempts }) => attempts > MOST[scope as Scope])
      .map(({ retry_after_seconds }) => retry_after_seconds);
    if (waits.length === 0) return;
    const wait = Math.max(...waits);
    throw limitReached(
      `Too many failed sign-ins. Try again in ${wait} seconds, or ask an admin for a sign-in link.`,
      wait,
    );
  }

  /** Takes the attempt back, and all attempts of this address at this account. */
  async succeeded(username: string, address: string): Promise<void> {
    const back = SCOPES.map((scope) => (scope === 'account_at_address' ? MOST[scope] : 1));
    await this.#db.query(uncountSignInAttempt, {
      scopes: SCOPES,
      buckets: bucketsOf(username, address),
      counts: back,
    });
  }
}

/** In the order of `SCOPES`. */
function bucketsOf(username: string, address: string): number[] {
  const account = username.toLowerCase();
  const network = networkOf(address);
  const keys: Readonly<Record<Scope, string>> = {
    account,
    address: network,
    account_at_address: `${network} ${account}`,
  };
  return SCOPES.map((scope) => bucketOf(keys[scope]));
}

const bucketOf = (key: string): number =>
  createHash('sha256').update(key).digest().readUInt32BE(0) % BUCKETS;
