import type { RouteName } from '@chatd/protocol';
import type { Caller } from '../auth/caller.ts';
import { networkOf } from '../auth/network.ts';
import { FairPool, type PoolSize, type Requester } from './fair-pool.ts';
import { limitReached } from '../chat/refused.ts';
import { RateLimit } from './rate-limit.ts';
import { costOf, type PoolName } from './route-costs.ts';

export interface RequestLimitsOptions {
  /** Points per minute and user; a token or session gets half of them. 0: no rate limit. */
  readonly pointsPerMinute: number;
  /** Requests of one kind that a user runs at the same time; a token or session gets half of them. */
  readonly concurrency: number;
  /** Of the database: expensive queries take at most half of them. */
  readonly databaseConnections: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** A request as the limits see it. */
export interface LimitedRequest {
  /** Null: not signed in. The client's network then counts as the user. */
  readonly caller: Caller | null;
  readonly exchange: { readonly address: string; readonly isGone: boolean };
  readonly query: Readonly<Record<string, unknown>>;
}

const SLOTS: Readonly<Record<Exclude<PoolName, 'query'>, number>> = {
  // Each may hold a file in memory.
  transfer: 16,
  workspace: 16,
  outbound: 16,
  // Two passwords are hashed at a time.
  password: 8,
};
const WAITING = 2048;
/** A browser loads all images of a page at once. */
const WAITING_PER_USER = 128;

const noSlot = (): void => undefined;

/** Rate limits and concurrency limits of this process, per user and per token or session. */
export class RequestLimits {
  readonly #users: RateLimit;
  readonly #credentials: RateLimit;
  readonly #pools: Readonly<Record<PoolName, FairPool>>;

  constructor({ pointsPerMinute, concurrency, ...options }: RequestLimitsOptions) {
    const now = options.now ?? (() => performance.now());
    this.#users = new RateLimit(pointsPerMinute, now);
    this.#credentials = new RateLimit(half(pointsPerMinute), now);
    const pool = (slots: number) => new FairPool(sizeOf(slots, concurrency));
    this.#pools = {
      query: pool(Math.max(1, Math.floor(options.databaseConnections / 2))),
      transfer: pool(SLOTS.transfer),
      workspace: pool(SLOTS.workspace),
      outbound: pool(SLOTS.outbound),
      password: pool(SLOTS.password),
    };
  }

  /** Resolves when the request may run; call the result when it has ended. Throws `Refused`. */
  async admit(route: RouteName, request: LimitedRequest): Promise<() => void> {
    const cost = costOf(route, request.query);
    if (cost === null) return noSlot;
    const requester = requesterOf(request);
    // Failed sign-ins of clients without an account are counted in the database instead.
    if (request.caller !== null) this.#pay(requester, cost.points);
    const leave = await this.#pools[cost.pool].enter(requester);
    if (!request.exchange.isGone) return leave;
    leave();
    throw limitReached('The client closed the connection while the request waited.', 1);
  }

  #pay({ user, credential }: Requester, points: number): void {
    if (this.#users.pointsPerMinute === 0) return;
    this.#check(this.#users, user, points, 'user');
    this.#check(this.#credentials, credential, points, 'token or session');
    this.#users.take(user, points);
    this.#credentials.take(credential, points);
  }

  #check(limit: RateLimit, key: string, points: number, whose: string): void {
    const seconds = Math.ceil(limit.waitMs(key, points) / 1000);
    if (seconds === 0) return;
    throw limitReached(
      `Rate limit reached: a ${whose} has ${limit.pointsPerMinute} points per minute, and this request costs ${points}. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      seconds,
    );
  }
}

const half = (count: number) => Math.ceil(count / 2);

const sizeOf = (slots: number, concurrency: number): PoolSize => ({
  slots,
  perUser: concurrency,
  perCredential: half(concurrency),
  waiting: WAITING,
  waitingPerUser: WAITING_PER_USER,
});

function requesterOf({ caller, exchange }: LimitedRequest): Requester {
  if (caller === null) {
    const network = `network ${networkOf(exchange.address)}`;
    return { user: network, credential: network };
  }
  const credential = caller.tokenId ?? caller.session?.toString('hex') ?? '';
  return { user: caller.user.id, credential };
}
