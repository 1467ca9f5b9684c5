import type { Caller } from '../auth/caller.ts';
import type { Database } from '../store/database.ts';
import { validHolders } from '../store/queries/sessions.ts';
import type { Line } from './outlet.ts';

/** By what right a stream is open. */
export interface Holder {
  /** A token's id, or the session's secret as it is stored. */
  readonly key: string;
  readonly userId: string;
  readonly isToken: boolean;
  /** It shows more than the user's own. */
  readonly needsAdmin: boolean;
}

export const holderOf = ({ user, tokenId, session }: Caller, needsAdmin = false): Holder => ({
  key: tokenId ?? session?.toString('hex') ?? '',
  userId: user.id,
  isToken: tokenId !== null,
  needsAdmin,
});

/** A user, or one of their tokens or sessions, has too many streams open. */
export class TooManyStreams extends Error {
  override readonly name = 'TooManyStreams';

  constructor(whose: string, limit: number) {
    super(`${whose} has ${limit} streams open. Close some of them, and try again.`);
  }
}

export interface StreamLimits {
  readonly perHolder: number;
  /** Null: no limit. */
  readonly perUser: () => Promise<number | null>;
}

/** The streams of each user, token and session: how many there are, and whether they may still be open. */
export class Holders {
  readonly #limits: StreamLimits;
  readonly #counts = new Map<string, number>();
  readonly #lines = new Map<Line, Holder>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** Throws `TooManyStreams`. */
  async enter({ key, userId }: Holder): Promise<() => void> {
    const perUser = (await this.#limits.perUser()) ?? Number.POSITIVE_INFINITY;
    const { perHolder } = this.#limits;
    const user = `user ${userId}`;
    if (this.#count(key) >= perHolder) throw new TooManyStreams('This token or session', perHolder);
    if (this.#count(user) >= perUser) throw new TooManyStreams('This user', perUser);
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

  opened(line: Line, holder: Holder): void {
    this.#lines.set(line, holder);
    line.onClosed(() => this.#lines.delete(line));
  }

  /** Closes what a revoked or expired token, or a user who is gone, has left open. */
  async closeRevoked(database: Database): Promise<void> {
    const holders = [...this.#lines.values()];
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
    for (const [line, { key, needsAdmin }] of this.#lines) {
      // Whoever came after the question was asked is not in the answer.
      if (!asked.has(key)) continue;
      const role = roles.get(key);
      if (role === undefined || (needsAdmin && role !== 'admin')) line.close('revoked');
    }
  }
}
