import type { Caller } from '../auth/caller.ts';
import type { Database } from '../store/database.ts';
import { validHolders } from '../store/queries/valid-holders.ts';
import type { Line } from './outlet.ts';

/** By what right a stream is open. */
export interface Holder {
  /** A token's id, or the session's secret as it is stored. */
  readonly key: string;
  readonly isToken: boolean;
  /** It shows more than the user's own. */
  readonly needsAdmin: boolean;
}

export const holderOf = ({ tokenId, session }: Caller, needsAdmin = false): Holder => ({
  key: tokenId ?? session?.toString('hex') ?? '',
  isToken: tokenId !== null,
  needsAdmin,
});

/** One token or session has as many streams open as it may. */
export class TooManyStreams extends Error {
  override readonly name = 'TooManyStreams';
  readonly limit: number;

  constructor(limit: number) {
    super(`There are ${limit} streams open already.`);
    this.limit = limit;
  }
}

/** The streams of each token and session: how many there are, and whether they may still be open. */
export class Holders {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  readonly #lines = new Map<Line, Holder>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Throws `TooManyStreams`. */
  enter({ key }: Holder): () => void {
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#limit) throw new TooManyStreams(this.#limit);
    this.#counts.set(key, count + 1);
    return () => {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    };
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
    const rows = await database.query(validHolders, [keys(true), sessions]);
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
