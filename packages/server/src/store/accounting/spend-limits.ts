import { type Clock, ProviderError, systemClock } from '@chatd/loop';
import { readSpendLimit } from '../queries/model-calls.ts';
import type { Queryable } from '../statement.ts';
import { DatabaseUnavailable } from '../unavailable.ts';
import { readSpend, type SpendState } from './spend.ts';

/** How long a new limit may take to be seen by every process. */
const LIMIT_KNOWN_MS = 10_000;
const MOST_USERS = 10_000;

/**
 * Whether a user may spend more. What a call will cost is known only after it, so the last one before the limit may go
 * beyond it, and so may those of other chats that run at the same time.
 */
export class SpendLimits {
  readonly #db: Queryable;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #allowances = new Map<string, Allowance & { readonly at: number }>();

  constructor(db: Queryable, clock: Pick<Clock, 'now'> = systemClock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** To be called before each model call. Costs nothing for as long as the user is known to have no limit. */
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
        message:
          'The spending limit could not be looked up, because the database is away. Try again.',
      });
    }
  }

  /** The next call of this user reads the database. */
  forget(userId: string): void {
    this.#allowances.delete(userId);
  }

  async #allowanceOf(userId: string): Promise<Allowance> {
    const now = this.#clock.now();
    const known = this.#allowances.get(userId);
    if (known !== undefined && now - known.at < LIMIT_KNOWN_MS) return known;
    const [row] = await this.#db.query(readSpendLimit, { user_id: userId });
    const allowance = { limit: row?.limit_micros ?? null, suspended: row?.suspended ?? false };
    // A forgotten user is looked up again, that is all.
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
    message: 'The owner of this chat is suspended, so the agent makes no model calls.',
  });

const isReached = ({ left_micros }: SpendState): boolean => left_micros === 0;

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const AMOUNT = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 });
const amount = (micros: number): string => AMOUNT.format(micros / 1_000_000);

function limitReached({ limit_micros, spent_micros, resets_at }: SpendState): ProviderError {
  const spent = `${amount(spent_micros)} of ${amount(limit_micros ?? 0)}`;
  return new ProviderError({
    kind: 'spend_limit',
    message: `The spending limit of this month is reached: ${spent} spent. It starts again on ${DAY.format(resets_at)} (UTC); to go on before that, ask an administrator to raise it.`,
  });
}
