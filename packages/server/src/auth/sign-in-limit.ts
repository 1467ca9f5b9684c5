import { networkOf } from './network.ts';

const WINDOW_MS = 15 * 60 * 1000;
const TRIES_PER_NAME = 10;
const TRIES_PER_ADDRESS = 100;
const MOST_ENTRIES = 10_000;

interface Tries {
  count: number;
  readonly until: number;
}

/**
 * Failed sign-ins from one address, or one network of IPv6: a few for one user name, more in all. A try counts before it is checked, so
 * that many at once are no way around it; success takes it back. Kept in memory: a restart forgets.
 */
export class SignInLimit {
  readonly #tries = new Map<string, Tries>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Null: go on. Else in how many seconds to try again. */
  begin(username: string, address: string): number | null {
    const now = this.#now();
    const network = networkOf(address);
    const pair = this.#current(keyOf(username, network), now);
    const all = this.#current(network, now);
    const full =
      pair.count >= TRIES_PER_NAME ? pair : all.count >= TRIES_PER_ADDRESS ? all : undefined;
    if (full !== undefined) return Math.ceil((full.until - now) / 1000);
    pair.count += 1;
    all.count += 1;
    return null;
  }

  succeeded(username: string, address: string): void {
    const network = networkOf(address);
    this.#tries.delete(keyOf(username, network));
    const all = this.#tries.get(network);
    if (all !== undefined) all.count -= 1;
  }

  #current(key: string, now: number): Tries {
    const known = this.#tries.get(key);
    if (known !== undefined && known.until > now) return known;
    this.#tries.delete(key);
    if (this.#tries.size >= MOST_ENTRIES) this.#forgetOldest();
    const fresh = { count: 0, until: now + WINDOW_MS };
    this.#tries.set(key, fresh);
    return fresh;
  }

  /** Entries are in the order in which they run out. */
  #forgetOldest(): void {
    const [oldest] = this.#tries.keys();
    if (oldest !== undefined) this.#tries.delete(oldest);
  }
}

const keyOf = (username: string, network: string) => `${network} ${username.toLowerCase()}`;
