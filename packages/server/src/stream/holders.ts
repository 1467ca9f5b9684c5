import type { Caller } from '../auth/caller.ts';
import { limitReached } from '../chat/refused.ts';
import type { Database } from '../store/database.ts';
import { validHolders } from '../store/queries/sessions.ts';
import type { Subscriber } from './outlet.ts';

/** The token or session that a stream is opened with. */
export interface Holder {
  /** The id of a token, or the secret hash of a session. */
  readonly key: string;
  readonly userId: string;
  readonly isToken: boolean;
  /** The stream shows data of other users. */
  readonly needsAdmin: boolean;
}

export const holderOf = ({ user, tokenId, session }: Caller, needsAdmin = false): Holder => ({
  key: tokenId ?? session?.toString('hex') ?? '',
  userId: user.id,
  isToken: tokenId !== null,
  needsAdmin,
});

const RETRY_AFTER_SECONDS = 5;

const tooManyStreams = (whose: string, limit: number) =>
  limitReached(
    `${whose} has ${limit} open streams, which is the limit. Close some of them and try again.`,
    RETRY_AFTER_SECONDS,
  );

export interface StreamLimits {
  readonly perHolder: number;
  /** Null: no limit. */
  readonly perUser: () => Promise<number | null>;
}

/** Counts the streams of each user, token and session, and closes them when access is revoked. */
export class Holders {
  readonly #limits: StreamLimits;
  readonly #counts = new Map<string, number>();
  readonly #subscribers = new Map<Subscriber, Holder>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** Throws `Refused`: too many streams. */
  async enter({ key, userId }: Holder): Promise<() => void> {
    const perUser = (await this.#limits.perUser()) ?? Number.POSITIVE_INFINITY;
    const { perHolder } = this.#limits;
    const user = `user ${userId}`;
    if (this.#count(key) >= perHolder) throw tooManyStreams('This token or session', perHolder);
    if (this.#count(user) >= perUser) throw tooManyStreams('This user', perUser);
    this.#add(key, 1);
    this.#add(user, 1);
    return () => {
      this.#add(key, -1);
      this.#add(user, -1);
    };
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(key: string, change: number): void {
    const count = this.#count(key) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }

  opened(subscriber: Subscriber, holder: Holder): void {
    this.#subscribers.set(subscriber, holder);
    subscriber.onClosed(() => this.#subscribers.delete(subscriber));
  }

  /** Closes the streams of revoked or expired tokens and of deleted users. */
  async closeRevoked(database: Database): Promise<void> {
    const holders = [...this.#subscribers.values()];
    if (holders.length === 0) return;
    const keys = (isToken: boolean) => [
      ...new Set(holders.filter((holder) => holder.isToken === isToken).map(({ key }) => key)),
    ];
    const sessions = keys(false).map((key) => Buffer.from(key, 'hex'));
    const rows = await database.query(validHolders, {
      token_ids: keys(true),
      secret_hashes: sessions,
    });
    const roles = new Map(rows.map(({ key, role }) => [key, role]));
    const asked = new Set(holders.map(({ key }) => key));
    for (const [subscriber, { key, needsAdmin }] of this.#subscribers) {
      // Opened after the query was sent.
      if (!asked.has(key)) continue;
      const role = roles.get(key);
      if (role === undefined || (needsAdmin && role !== 'admin')) subscriber.close('revoked');
    }
  }
}
