import { expect, test } from 'vitest';
import { FairPool, type PoolSize, type Requester } from './fair-pool.ts';

const SIZE: PoolSize = { slots: 2, perUser: 2, perCredential: 2, waiting: 100, waitingPerUser: 50 };

/** Requests of a pool, in the order in which they started. */
class Requests {
  readonly started: string[] = [];
  readonly #pool: FairPool;
  readonly #running = new Map<string, () => void>();

  constructor(size: Partial<PoolSize> = {}) {
    this.#pool = new FairPool({ ...SIZE, ...size });
  }

  get pool(): FairPool {
    return this.#pool;
  }

  /** `ann/token 3`: the third request of Ann with this token. */
  async send(...names: string[]): Promise<void> {
    for (const name of names) {
      const [credential = ''] = name.split(' ');
      const [user = ''] = credential.split('/');
      void this.#run(name, { user, credential });
    }
    await settled();
  }

  async #run(name: string, requester: Requester): Promise<void> {
    const leave = await this.#pool.enter(requester);
    this.started.push(name);
    this.#running.set(name, leave);
  }

  async end(name: string): Promise<void> {
    this.#running.get(name)?.();
    await settled();
  }
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
}

test('requests run while there are slots, and wait in order when there are none', async () => {
  const requests = new Requests();
  await requests.send('ann 1', 'ann 2', 'ann 3', 'ann 4');
  expect(requests.started).toEqual(['ann 1', 'ann 2']);
  await requests.end('ann 2');
  expect(requests.started).toEqual(['ann 1', 'ann 2', 'ann 3']);
  await requests.end('ann 1');
  expect(requests.started).toEqual(['ann 1', 'ann 2', 'ann 3', 'ann 4']);
});

test('a user with one request waits for one slot, however many requests another user has', async () => {
  const requests = new Requests({ slots: 1 });
  await requests.send('ann 1', 'ann 2', 'ann 3', 'ann 4', 'ben 1', 'eve 1');
  await requests.end('ann 1');
  await requests.end('ann 2');
  await requests.end('ben 1');
  await requests.end('eve 1');
  expect(requests.started).toEqual(['ann 1', 'ann 2', 'ben 1', 'eve 1', 'ann 3']);
});

test('a user at the limit leaves the other slots to others', async () => {
  const requests = new Requests({ slots: 3, perUser: 2 });
  await requests.send('ann 1', 'ann 2', 'ann 3', 'ben 1');
  expect(requests.started).toEqual(['ann 1', 'ann 2', 'ben 1']);
  await requests.end('ben 1');
  expect(requests.started).not.toContain('ann 3');
  await requests.end('ann 1');
  expect(requests.started).toContain('ann 3');
});

test('a token at its limit leaves the slots of its user to other tokens', async () => {
  const requests = new Requests({ slots: 4, perUser: 3, perCredential: 1 });
  await requests.send('ann/script 1', 'ann/script 2', 'ann/browser 1');
  expect(requests.started).toEqual(['ann/script 1', 'ann/browser 1']);
  await requests.end('ann/script 1');
  expect(requests.started).toContain('ann/script 2');
});

test('a slot is released once', async () => {
  const requests = new Requests({ slots: 1, perUser: 1 });
  await requests.send('ann 1', 'ben 1', 'eve 1');
  await requests.end('ann 1');
  await requests.end('ann 1');
  expect(requests.started).toEqual(['ann 1', 'ben 1']);
  expect(requests.pool).toMatchObject({ running: 1, waiting: 1 });
});

test('a user whose queue is full is refused, and others still wait', async () => {
  const requests = new Requests({ slots: 1, waitingPerUser: 2 });
  await requests.send('ann 1', 'ann 2', 'ann 3');
  const refused = requests.pool.enter({ user: 'ann', credential: 'ann' });
  await expect(refused).rejects.toMatchObject({ code: 'too_many_requests' });
  await requests.send('ben 1');
  expect(requests.pool.waiting).toBe(3);
});

test('the sum of waiting requests is bounded', async () => {
  const requests = new Requests({ slots: 1, waiting: 3 });
  await requests.send('ann 1', 'ann 2', 'ben 1', 'eve 1');
  const refused = requests.pool.enter({ user: 'joe', credential: 'joe' });
  await expect(refused).rejects.toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 2 });
});

test('an idle pool counts no requests: all users have their slots and queues again', async () => {
  const requests = new Requests({ slots: 2, perUser: 1, perCredential: 1, waitingPerUser: 1 });
  await requests.send('ann 1', 'ann 2', 'ben 1', 'ben 2');
  for (const name of ['ann 1', 'ben 1', 'ann 2', 'ben 2']) await requests.end(name);
  expect(requests.pool).toMatchObject({ running: 0, waiting: 0 });
  await requests.send('ann 3', 'ann 4', 'ben 3', 'ben 4');
  expect(requests.started.slice(4)).toEqual(['ann 3', 'ben 3']);
  expect(requests.pool).toMatchObject({ running: 2, waiting: 2 });
});
