import { limitReached } from '../chat/refused.ts';

export interface PoolSize {
  /** Requests that run at the same time. */
  readonly slots: number;
  readonly perUser: number;
  readonly perCredential: number;
  /** Requests that wait: the sum, and those of one user. */
  readonly waiting: number;
  readonly waitingPerUser: number;
}

/** Whose request it is. A user has one or more credentials: tokens and sessions. */
export interface Requester {
  readonly user: string;
  readonly credential: string;
}

interface Waiter {
  readonly requester: Requester;
  readonly start: (leave: () => void) => void;
}

const RETRY_AFTER_SECONDS = 2;

/**
 * Slots for requests of one kind. Requests that find no slot wait, and free slots go round-robin to the users that
 * wait, however many requests each of them has. A wait has no deadline: the queues are short, and the requests ahead end.
 */
export class FairPool {
  readonly #size: PoolSize;
  readonly #users = new Map<string, number>();
  readonly #credentials = new Map<string, number>();
  /** By user, in the order in which users are served next. */
  readonly #queues = new Map<string, Waiter[]>();
  #running = 0;
  #waiting = 0;

  constructor(size: PoolSize) {
    this.#size = size;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves when the request may run; the result gives its slot back. Throws `Refused`. */
  async enter(requester: Requester): Promise<() => void> {
    if (this.#hasRoom(requester)) return this.#start(requester);
    this.#checkQueue(requester.user);
    const { promise, resolve } = Promise.withResolvers<() => void>();
    this.#queue({ requester, start: resolve });
    return await promise;
  }

  #hasRoom({ user, credential }: Requester): boolean {
    const { slots, perUser, perCredential } = this.#size;
    return (
      this.#running < slots &&
      (this.#users.get(user) ?? 0) < perUser &&
      (this.#credentials.get(credential) ?? 0) < perCredential
    );
  }

  #checkQueue(user: string): void {
    const { waiting, waitingPerUser } = this.#size;
    if ((this.#queues.get(user)?.length ?? 0) >= waitingPerUser) {
      throw limitReached(
        `You have ${waitingPerUser} requests of this kind waiting. Send fewer requests at the same time, and try again in ${RETRY_AFTER_SECONDS} seconds.`,
        RETRY_AFTER_SECONDS,
      );
    }
    if (this.#waiting >= waiting) {
      throw limitReached(
        `The server is busy with requests of this kind. Try again in ${RETRY_AFTER_SECONDS} seconds.`,
        RETRY_AFTER_SECONDS,
      );
    }
  }

  #queue(waiter: Waiter): void {
    const { user } = waiter.requester;
    const queue = this.#queues.get(user);
    if (queue === undefined) this.#queues.set(user, [waiter]);
    else queue.push(waiter);
    this.#waiting += 1;
  }

  #start({ user, credential }: Requester): () => void {
    this.#running += 1;
    add(this.#users, user, 1);
    add(this.#credentials, credential, 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#running -= 1;
      add(this.#users, user, -1);
      add(this.#credentials, credential, -1);
      this.#next();
    };
  }

  #next(): void {
    for (const [user, queue] of this.#queues) {
      const index = queue.findIndex(({ requester }) => this.#hasRoom(requester));
      const [waiter] = index === -1 ? [] : queue.splice(index, 1);
      if (waiter === undefined) continue;
      this.#waiting -= 1;
      // The user goes to the end of the round.
      this.#queues.delete(user);
      if (queue.length > 0) this.#queues.set(user, queue);
      waiter.start(this.#start(waiter.requester));
      return;
    }
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
