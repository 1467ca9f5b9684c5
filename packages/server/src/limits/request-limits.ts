import type { RouteName } from '@chatd/protocol';
import type { Caller } from '../auth/caller.ts';
import { networkOf } from '../auth/network.ts';
import { FairPool, type PoolSize, type Requester } from './fair-pool.ts';
import { limitReached } from '../chat/refused.ts';
import { RateLimit } from './rate-limit.ts';
import { type Cost, costOf, type PoolName, type PricedRequest } from './route-costs.ts';

export interface RequestLimitsOptions {
  /** Points per minute and user; a token or session gets half of them. 0: no rate limit. */
  readonly pointsPerMinute: number;
  /** Requests of one kind that a user runs at the same time; a token or session gets half of them. */
  readonly concurrency: number;
  /** Of the database: expensive queries take at most half of them. */
  readonly databaseConnections: number;
  /** Undefined: no other process serves the same clients. */
  readonly peers?: SpendingPeers | undefined;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** The other processes of this server. Each tells the others what its users have spent. */
export interface SpendingPeers {
  spent(budget: string, key: string, points: number): void;
  onSpent(
    listener: (
      spending: readonly (readonly [budget: string, key: string, points: number])[],
    ) => void,
  ): void;
}

/** A request as the limits see it. */
export interface LimitedRequest extends PricedRequest {
  /** Null: not signed in. The client's network then counts as the user. */
  readonly caller: Caller | null;
  readonly exchange: PricedRequest['exchange'] & {
    readonly address: string;
    readonly isGone: boolean;
    /** Receives the response headers that state the rate limits. */
    rateLimit?: Readonly<Record<string, string>>;
  };
}

const SLOTS: Readonly<Record<Exclude<PoolName, 'turn' | 'stream' | 'query'>, number>> = {
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
/** A client may open all its streams again at once, up to the default limit of open streams. */
const WAITING_STREAMS_PER_USER = 1000;

const noSlot = (): void => undefined;

/** Rate limits and concurrency limits of this process, per user and per token or session. */
export class RequestLimits {
  /** Of everything but turns. */
  readonly #requests: Budgets;
  readonly #turns: Budgets;
  readonly #peers: SpendingPeers | undefined;
  readonly #pools: Readonly<Record<PoolName, FairPool>>;

  constructor({ pointsPerMinute, concurrency, ...options }: RequestLimitsOptions) {
    const now = options.now ?? (() => performance.now());
    this.#requests = budgets(pointsPerMinute, now);
    this.#turns = budgets(pointsPerMinute, now);
    this.#peers = options.peers;
    this.#peers?.onSpent((spending) => {
      for (const [budget, key, points] of spending) this.#budget(budget).take(key, points);
    });
    const pool = (slots: number, waitingPerUser = WAITING_PER_USER) =>
      new FairPool({ ...sizeOf(slots, concurrency), waitingPerUser });
    const halfOfConnections = Math.max(1, Math.floor(options.databaseConnections / 2));
    this.#pools = {
      turn: pool(halfOfConnections),
      stream: pool(halfOfConnections, WAITING_STREAMS_PER_USER),
      query: pool(halfOfConnections),
      transfer: pool(SLOTS.transfer),
      workspace: pool(SLOTS.workspace),
      outbound: pool(SLOTS.outbound),
      password: pool(SLOTS.password),
    };
  }

  /** Resolves when the request may run; call the result when it has ended. Throws `Refused`. */
  async admit(route: RouteName, request: LimitedRequest): Promise<() => void> {
    const cost = costOf(route, request);
    if (cost === null) return noSlot;
    const requester = requesterOf(request);
    // Failed sign-ins of clients without an account are counted in the database instead.
    if (request.caller !== null && cost.points > 0) this.#pay(request, requester, cost);
    const leave = await this.#pools[cost.pool].enter(requester);
    if (!request.exchange.isGone) return leave;
    leave();
    throw limitReached('The client closed the connection while the request waited.', 1);
  }

  #pay(
    { exchange }: LimitedRequest,
    { user, credential }: Requester,
    { points, pool }: Cost,
  ): void {
    const { users, credentials } = pool === 'turn' ? this.#turns : this.#requests;
    if (users.pointsPerMinute === 0) return;
    const kind = pool === 'turn' ? 'turns' : 'requests';
    try {
      this.#check(users, user, points, 'user');
      this.#check(credentials, credential, points, 'token or session');
      users.take(user, points);
      credentials.take(credential, points);
    } finally {
      exchange.rateLimit = rateLimitHeaders([
        [`${kind}-per-user`, users, user],
        [`${kind}-per-credential`, credentials, credential],
      ]);
    }
    this.#peers?.spent(`${kind}.users`, user, points);
    this.#peers?.spent(`${kind}.credentials`, credential, points);
  }

  /** By the name that other processes use. */
  #budget(name: string): RateLimit {
    const { users, credentials } = name.startsWith('turns.') ? this.#turns : this.#requests;
    return name.endsWith('.users') ? users : credentials;
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

/** `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11. The unit is points. */
const rateLimitHeaders = (
  policies: readonly (readonly [name: string, limit: RateLimit, key: string])[],
): Readonly<Record<string, string>> => ({
  'ratelimit-policy': policies
    .map(([name, { capacity, seconds }]) => `"${name}";q=${Math.floor(capacity)};w=${seconds}`)
    .join(', '),
  ratelimit: policies
    .map(([name, limit, key]) => {
      const { points, fullInSeconds } = limit.left(key);
      return `"${name}";r=${points};t=${fullInSeconds}`;
    })
    .join(', '),
});

interface Budgets {
  readonly users: RateLimit;
  readonly credentials: RateLimit;
}

const budgets = (pointsPerMinute: number, now: () => number): Budgets => ({
  users: new RateLimit(pointsPerMinute, now),
  credentials: new RateLimit(half(pointsPerMinute), now),
});

const half = (count: number) => Math.ceil(count / 2);

const sizeOf = (slots: number, concurrency: number): Omit<PoolSize, 'waitingPerUser'> => ({
  slots,
  perUser: concurrency,
  perCredential: half(concurrency),
  waiting: WAITING,
});

function requesterOf({ caller, exchange }: LimitedRequest): Requester {
  if (caller === null) {
    const network = `network ${networkOf(exchange.address)}`;
    return { user: network, credential: network };
  }
  // Whoever has the link of a chat shares its budget, so each network has its own part of it.
  if (caller.link !== undefined) {
    const credential = `${caller.link.chatId} ${networkOf(exchange.address)}`;
    return { user: caller.user.id, credential };
  }
  const credential = caller.tokenId ?? caller.session?.toString('hex') ?? '';
  return { user: caller.user.id, credential };
}
