import { randomUUID } from 'node:crypto';
import { afterAll, expect } from 'vitest';
import { once } from '../../src/http/idempotency.ts';
import { onlyRow, statement } from '../../src/store/statement.ts';
import { DatabaseUnavailable } from '../../src/store/unavailable.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { TestStore } from '../support/store.ts';
import type { PerformOn, Scenario } from './scenarios.ts';

const CLEAR = statement<never>(
  'test-clear',
  `WITH rules AS (DELETE FROM user_approvals) DELETE FROM chats`,
);
const PICTURE = statement<{ picture: string }>(
  'test-picture',
  `SELECT jsonb_build_object(
     'chats', (SELECT jsonb_agg(to_jsonb(c) ORDER BY c.id) FROM chats AS c),
     'messages', (SELECT jsonb_agg(to_jsonb(m) - 'id' - 'queued_message_id' ORDER BY m.chat_id, m.id) FROM messages AS m),
     'queue', (SELECT jsonb_agg(to_jsonb(q) - 'id' ORDER BY q.chat_id, q.position) FROM queued_messages AS q),
     'calls', (SELECT jsonb_agg(to_jsonb(b) ORDER BY b.created_at) FROM model_calls AS b WHERE chat_id IN (SELECT id FROM chats)),
     'rules', (SELECT jsonb_agg(a.rules) FROM user_approvals AS a)
   )::text AS picture`,
);

/** A store whose statements can be made to fail, and a direct one beside it that sees what is true. */
export class Laboratory {
  readonly #direct: TestStore;
  readonly #faulty: TestStore;
  readonly #proxy: FaultProxy;

  static async open(): Promise<Laboratory> {
    const direct = await TestStore.open();
    const proxy = await startFaultProxy(direct.url);
    afterAll(() => proxy.close());
    const faulty = await TestStore.open(proxy.url);
    return new Laboratory(direct, faulty, proxy);
  }

  private constructor(direct: TestStore, faulty: TestStore, proxy: FaultProxy) {
    this.#direct = direct;
    this.#faulty = faulty;
    this.#proxy = proxy;
  }

  /** Makes every statement of a command fail in each of these ways, one at a time, and checks the promises. */
  async tryAll(scenario: Scenario, faults: readonly Fault[]): Promise<void> {
    const { requests, done } = await this.#reference(scenario, (perform) => perform(this.#faulty));
    for (const [position, name] of requests.entries()) {
      for (const fault of faults) {
        await this.#failOnce(
          scenario,
          { position, fault, done },
          `${fault} at ${name} (${position})`,
        );
      }
    }
  }

  /** The same for a request that the client repeats under its idempotency key until it is answered. */
  async repeatAll(scenario: Scenario, faults: readonly Fault[]): Promise<void> {
    const { requests, done } = await this.#reference(scenario, this.#keyed());
    for (const [position, name] of requests.entries()) {
      for (const fault of faults) {
        const where = `${fault} at ${name} (${position})`;
        const perform = await this.#prepare(scenario);
        const request = this.#keyed();
        this.#proxy.watch((one) => (one.position === position ? fault : undefined));
        const first = await outcome(request(perform));
        if (first !== undefined) expect(first, where).toBeInstanceOf(DatabaseUnavailable);
        // Whether the client knows of it or not, the second request under the key changes nothing more.
        await request(perform);
        await request(perform);
        expect(await this.#picture(), `${where}: the command took effect once`).toBe(done);
        this.#expectNoConnectionInUse(where);
      }
    }
  }

  async #reference(
    scenario: Scenario,
    run: (perform: PerformOn) => Promise<unknown>,
  ): Promise<{ readonly requests: readonly string[]; readonly done: string }> {
    const perform = await this.#prepare(scenario);
    // The first time statements are prepared; counted is how they run ever after.
    this.#proxy.watch();
    await run(perform);
    const requests = this.#proxy.requests.map(({ name }) => name);
    expect(requests.length).toBeGreaterThan(0);
    return { requests, done: await this.#picture() };
  }

  async #failOnce(
    scenario: Scenario,
    { position, fault, done }: { position: number; fault: Fault; done: string },
    where: string,
  ): Promise<void> {
    const perform = await this.#prepare(scenario);
    const before = await this.#picture();
    const told = this.#faulty.changes.length;
    this.#proxy.watch((one) => (one.position === position ? fault : undefined));
    const error = await outcome(perform(this.#faulty));
    const after = await this.#picture();
    this.#proxy.watch();
    expect(error, `${where}: the caller may repeat it`).toBeInstanceOf(DatabaseUnavailable);
    this.#expectNoConnectionInUse(where);
    if (fault === 'lost' && after === done) return;
    expect(after, `${where}: nothing was written`).toBe(before);
    expect(this.#faulty.changes.length, `${where}: nobody was told`).toBe(told);
    await perform(this.#faulty);
    expect(await this.#picture(), `${where}: the chat is not stuck`).toBe(done);
  }

  #keyed(): (perform: PerformOn) => Promise<unknown> {
    const key = { userId: this.#faulty.owner, key: randomUUID(), hash: Buffer.from('same') };
    return (perform) =>
      once(this.#faulty.database, key, async (tx) => {
        await perform(this.#faulty, tx);
        return { status: 200, body: null };
      });
  }

  async #prepare(scenario: Scenario): Promise<PerformOn> {
    this.#proxy.watch();
    await this.#direct.database.query(CLEAR);
    return await scenario.prepare(this.#direct);
  }

  /** All that is stored about chats, without ids and times. */
  async #picture(): Promise<string> {
    const { picture } = onlyRow(await this.#direct.database.query(PICTURE));
    return picture
      .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'id')
      .replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"time"');
  }

  #expectNoConnectionInUse(where: string): void {
    const { total, idle, waiting } = this.#faulty.database.stats;
    expect({ inUse: total - idle, waiting }, where).toEqual({ inUse: 0, waiting: 0 });
  }
}

async function outcome(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
