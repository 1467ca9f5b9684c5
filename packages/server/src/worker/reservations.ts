/** Claims of chats of one user that a process makes at the same time. */
const MAX_PER_USER = 4;

/**
 * Concurrent claims of a user's chats in other processes are not visible, so none is made this close to
 * `max_running_chats_per_user`: enough for eight processes. The worker then counts committed chats instead.
 */
const MARGIN = 32;

/** Capacity of a worker that is reserved for chats that are being claimed. */
export class Reservations {
  readonly #byUser = new Map<string, number>();
  #total = 0;
  #onEmpty = Promise.withResolvers<void>();

  get total(): number {
    return this.#total;
  }

  /** The most reservations of one user. */
  get most(): number {
    return Math.max(0, ...this.#byUser.values());
  }

  /** How many active chats the user may have before another one. Undefined: no further claim is safe. */
  activeLimit(userId: string, perUser: number | null): number | null | undefined {
    const reserved = this.#byUser.get(userId) ?? 0;
    if (reserved >= MAX_PER_USER) return undefined;
    if (perUser === null) return null;
    const limit = perUser - MARGIN - reserved;
    return limit > 0 ? limit : undefined;
  }

  /** Returns a function that ends the reservation, once. */
  add(userId: string): () => boolean {
    this.#total += 1;
    this.#byUser.set(userId, (this.#byUser.get(userId) ?? 0) + 1);
    let ended = false;
    return () => {
      if (ended) return false;
      ended = true;
      this.#end(userId);
      return true;
    };
  }

  /** Resolves when all reservations have ended. */
  async settled(): Promise<void> {
    if (this.#total > 0) await this.#onEmpty.promise;
  }

  #end(userId: string): void {
    const left = (this.#byUser.get(userId) ?? 0) - 1;
    if (left > 0) this.#byUser.set(userId, left);
    else this.#byUser.delete(userId);
    this.#total -= 1;
    if (this.#total > 0) return;
    this.#onEmpty.resolve();
    this.#onEmpty = Promise.withResolvers();
  }
}
