import { type Clock, ProviderError, systemClock } from '@chatd/loop';
import { readSpendLimit } from '../queries/model-calls.ts';
import type { Queryable } from '../statement.ts';
import { DatabaseUnavailable } from '../unavailable.ts';
import { readSpend, type SpendState } from './spend.ts';

/** How long a new limit takes to apply in all replicas. */
const LIMIT_KNOWN_MS = 10_000;
const MOST_USERS = 10_000;

/**
 * Enforces spending limits. The cost of a call is known only afterwards, so the last call, and concurrent ones of other
 * chats, can exceed the limit.
 */
export class SpendLimits {
  readonly #db: Queryable;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #allowances = new Map<string, Allowance & { readonly at: number }>();

  constructor(db: Queryable, clock: Pick<Clock, 'now'> = systemClock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Call before each model call. Needs no query while the user is known to have no limit. */
  async check(userId: string): Promise<void> {
    try {
      const { limit, suspended } = await this.#allowanceOf(userId);
      if (suspended) throw ownerSuspended();
      if (limit === null) return;
      const spend = await readSpend(this.#db, userId);
      if (isReached(spend)) throw limitReached(spend);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      throw new ProviderError({
        kind: 'timeout',
        retryable: true,
        message: 'Cannot read the spending limit because the database is unavailable. Try again.',
      });
    }
  }

  /** Forgets what is cached about the user. */
  forget(userId: string): void {
    this.#allowances.delete(userId);
  }

  async #allowanceOf(userId: string): Promise<Allowance> {
    const now = this.#clock.now();
    const known = this.#allowances.get(userId);
    if (known !== undefined && now - known.at < LIMIT_KNOWN_MS) return known;
    const [row] = await this.#db.query(readSpendLimit, { user_id: userId });
    const allowance = { limit: row?.limit_micros ?? null, suspended: row?.suspended ?? false };
    // Evicted users are read again.
    if (this.#allowances.size >= MOST_USERS) this.#allowances.clear();
    this.#allowances.set(userId, { ...allowance, at: now });
    return allowance;
  }
}

interface Allowance {
  /** Null: no limit. */
  readonly limit: number | null;
  readonly suspended: boolean;
}

const ownerSuspended = () =>
  new ProviderError({
    kind: 'config',
    message: 'The owner of this chat is suspended, so the agent cannot make model calls.',
  });

const isReached = ({ left_micros }: SpendState): boolean => left_micros === 0;

const DAY = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const AMOUNT = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 6,
});
const amount = (micros: number): string => AMOUNT.format(micros / 1_000_000);

function limitReached({ limit_micros, spent_micros, resets_at }: SpendState): ProviderError {
  const spent = `${amount(spent_micros)} of ${amount(limit_micros ?? 0)}`;
  return new ProviderError({
    kind: 'spend_limit',
    message: `You have reached your spending limit for this month: ${spent} spent. It resets on ${DAY.format(resets_at)} (UTC). To continue before then, ask an admin to raise it.`,
  });
}
