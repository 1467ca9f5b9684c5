import { type Clock, ProviderError, systemClock } from '@chatd/loop';
import {
  type CallPermissionRow,
  readCallPermissions,
  type SharedLimit,
  type SharedSpendRow,
} from '../queries/model-calls.ts';
import type { Queryable } from '../statement.ts';
import { DatabaseUnavailable } from '../unavailable.ts';
import { readSharedSpend, readSpend } from './spend.ts';

/** How long a new restriction or a lower limit takes to apply in all replicas. */
const KEPT_MS = 10_000;
const MOST_USERS = 10_000;

/**
 * Decides whether a user may call a model: suspension, restricted models, and spending limits. The cost of a call is known
 * only afterwards, and the spending of groups and of the deployment is read every ten seconds, so the limits can be
 * exceeded by that much.
 */
export class CallPermissions {
  readonly #db: Queryable;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #users = new Map<string, { readonly row: CallPermissionRow; readonly at: number }>();
  /** By group. The empty id is the deployment. */
  readonly #spends = new Map<
    string,
    { readonly spend: Promise<SharedSpendRow>; readonly at: number }
  >();

  constructor(db: Queryable, clock: Pick<Clock, 'now'> = systemClock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Call before each model call. Needs no query while the user is known to have no limit. What was read before is enough
   * to allow a call, not to refuse it: a limit may have been raised since.
   */
  async check(userId: string, configId: string): Promise<void> {
    if (this.#known(userId) !== undefined) {
      try {
        return await this.#check(userId, configId);
      } catch {
        this.#users.delete(userId);
      }
    }
    await this.#check(userId, configId);
  }

  async #check(userId: string, configId: string): Promise<void> {
    try {
      const { suspended, restricted, limit_micros, shared_limits } = await this.#of(userId);
      if (suspended) throw ownerSuspended();
      if (restricted.includes(configId)) throw modelRestricted();
      if (limit_micros !== null) {
        const { spent_micros, resets_at } = await readSpend(this.#db, userId);
        checkLimit('You have reached your spending limit', limit_micros, spent_micros, resets_at);
      }
      for (const limit of shared_limits) {
        const { spent_micros, resets_at } = await this.#spendOf(limit);
        checkLimit(whose(limit), limit.limit_micros, spent_micros, resets_at);
      }
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      throw new ProviderError({
        kind: 'timeout',
        retryable: true,
        message: 'Cannot read the spending limit because the database is unavailable. Try again.',
      });
    }
  }

  /** Forgets what is cached about the user and their groups. */
  forget(userId: string): void {
    this.#users.delete(userId);
    this.#spends.clear();
  }

  #known(userId: string): CallPermissionRow | undefined {
    const known = this.#users.get(userId);
    return known !== undefined && this.#clock.now() - known.at < KEPT_MS ? known.row : undefined;
  }

  async #of(userId: string): Promise<CallPermissionRow> {
    const known = this.#known(userId);
    if (known !== undefined) return known;
    const now = this.#clock.now();
    const [row = UNKNOWN_USER] = await this.#db.query(readCallPermissions, { user_id: userId });
    // Evicted users are read again.
    if (this.#users.size >= MOST_USERS) this.#users.clear();
    this.#users.set(userId, { row, at: now });
    return row;
  }

  /** Concurrent calls share a query. */
  #spendOf(limit: SharedLimit): Promise<SharedSpendRow> {
    const key = limit.group_id ?? '';
    const now = this.#clock.now();
    const known = this.#spends.get(key);
    if (known !== undefined && now - known.at < KEPT_MS) return known.spend;
    const spend = readSharedSpend(this.#db, limit);
    const entry = { spend, at: now };
    this.#spends.set(key, entry);
    spend.catch(() => this.#spends.get(key) === entry && this.#spends.delete(key));
    return spend;
  }
}

const UNKNOWN_USER: CallPermissionRow = {
  limit_micros: null,
  suspended: false,
  shared_limits: [],
  restricted: [],
};

const ownerSuspended = () =>
  new ProviderError({
    kind: 'config',
    message: 'The owner of this chat is suspended, so the agent cannot make model calls.',
  });

export const modelRestricted = (): ProviderError =>
  new ProviderError({
    kind: 'model_restricted',
    message:
      'This model is restricted to groups that the owner of the chat does not belong to. Choose another model, or ask an admin for access.',
  });

const whose = ({ group_name }: SharedLimit): string =>
  group_name === null
    ? 'This deployment has reached its spending limit'
    : `The group ${group_name} has reached its spending limit`;

const DAY = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const AMOUNT = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 6,
});
const amount = (micros: number): string => AMOUNT.format(micros / 1_000_000);

function checkLimit(what: string, limit: number, spent: number, resetsAt: Date): void {
  if (spent < limit) return;
  throw new ProviderError({
    kind: 'spend_limit',
    message: `${what} for this month: ${amount(spent)} of ${amount(limit)} spent. It resets on ${DAY.format(resetsAt)} (UTC). To continue before then, ask an admin to raise it.`,
  });
}
