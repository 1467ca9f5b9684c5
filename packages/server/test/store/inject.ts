import { randomUUID } from 'node:crypto';
import { afterAll, expect } from 'vitest';
import { once } from '../../src/http/idempotency.ts';
import { onlyRow, statement } from '../../src/store/statement.ts';
import { DatabaseUnavailable } from '../../src/store/unavailable.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { TestStore } from '@chatd/test-server/database';
import type { PerformOn, Scenario } from './scenarios.ts';

const CLEAR = statement<null, never>(
  'test-clear',
  `WITH rules AS (DELETE FROM user_approvals) DELETE FROM chats`,
);
const PICTURE = statement<null, { picture: string }>(
  'test-picture',
  `SELECT jsonb_build_object(
     'chats', (SELECT jsonb_agg(to_jsonb(c) ORDER BY c.created_at) FROM chats AS c),
     'messages', (SELECT jsonb_agg(to_jsonb(m) - 'id' - 'queued_message_id' ORDER BY c.created_at, m.id) FROM messages AS m JOIN chats AS c ON c.id = m.chat_id),
     'queue', (SELECT jsonb_agg(to_jsonb(q) - 'id' ORDER BY c.created_at, q.position) FROM queued_messages AS q JOIN chats AS c ON c.id = q.chat_id),
     'calls', (SELECT jsonb_agg(to_jsonb(b) ORDER BY b.created_at) FROM model_calls AS b WHERE chat_id IN (SELECT id FROM chats)),
     'rules', (SELECT jsonb_agg(a.rules) FROM user_approvals AS a)
   )::text AS picture`,
);

/** A store behind a fault proxy, and a direct store that reads what is stored. */
interface FaultHarness {
  readonly direct: TestStore;
  readonly faulty: TestStore;
  readonly proxy: FaultProxy;
}

export async function openFaultHarness(): Promise<FaultHarness> {
  const direct = await TestStore.open();
  const proxy = await startFaultProxy(direct.url);
  afterAll(() => proxy.close());
  return { direct, proxy, faulty: await TestStore.open(proxy.url) };
}

/** Makes every statement of a command fail in each of these ways, one at a time, and checks the guarantees. */
export async function failEach(
  harness: FaultHarness,
  scenario: Scenario,
  faults: readonly Fault[],
): Promise<void> {
  const { direct, faulty, proxy } = harness;
  const { requests, done } = await reference(harness, scenario, (perform) => perform(faulty));
  for (const { position, fault, where } of variants(requests, faults)) {
    const perform = await prepare(harness, scenario);
    const before = await picture(direct);
    const changesBefore = faulty.changes.length;
    proxy.watch((one) => (one.position === position ? fault : undefined));
    const error = await outcome(perform(faulty));
    proxy.watch();
    const after = await picture(direct);
    expect(error, `${where}: the caller can retry`).toBeInstanceOf(DatabaseUnavailable);
    expectNoConnectionInUse(faulty, where);
    if (fault === 'lost' && after === done) continue;
    expect(after, `${where}: nothing was written`).toBe(before);
    expect(faulty.changes.length, `${where}: nothing was published`).toBe(changesBefore);
    await perform(faulty);
    expect(await picture(direct), `${where}: the chat is not stuck`).toBe(done);
  }
}

/** The same for a request that the client retries with its idempotency key. */
export async function repeatEach(
  harness: FaultHarness,
  scenario: Scenario,
  faults: readonly Fault[],
): Promise<void> {
  const { direct, faulty, proxy } = harness;
  const { requests, done } = await reference(harness, scenario, underKey(faulty));
  for (const { position, fault, where } of variants(requests, faults)) {
    const perform = await prepare(harness, scenario);
    const request = underKey(faulty);
    proxy.watch((one) => (one.position === position ? fault : undefined));
    const error = await outcome(request(perform));
    expect(error, `${where}: the caller can retry`).toBeInstanceOf(DatabaseUnavailable);
    await request(perform);
    await request(perform);
    expect(await picture(direct), `${where}: the command took effect once`).toBe(done);
    expectNoConnectionInUse(faulty, where);
  }
}

/** The statements that the command sends, and the stored state after it, without faults. */
async function reference(
  harness: FaultHarness,
  scenario: Scenario,
  run: (perform: PerformOn) => Promise<unknown>,
): Promise<{ readonly requests: readonly string[]; readonly done: string }> {
  const perform = await prepare(harness, scenario);
  await run(perform);
  const requests = harness.proxy.requests.map(({ name }) => name);
  expect(requests.length).toBeGreaterThan(0);
  return { requests, done: await picture(harness.direct) };
}

const variants = (requests: readonly string[], faults: readonly Fault[]) =>
  requests.flatMap((name, position) =>
    faults.map((fault) => ({ position, fault, where: `${fault} at ${name} (${position})` })),
  );

function underKey(faulty: TestStore): (perform: PerformOn) => Promise<unknown> {
  const key = { userId: faulty.owner, key: randomUUID(), hash: Buffer.from('same') };
  return (perform) =>
    once(faulty.database, key, async (tx) => {
      await perform(faulty, tx);
      return { status: 200, body: null };
    });
}

async function prepare({ direct, proxy }: FaultHarness, scenario: Scenario): Promise<PerformOn> {
  await direct.database.query(CLEAR);
  const perform = await scenario.prepare(direct);
  proxy.watch();
  return perform;
}

/** Everything stored about chats, without ids and times. */
async function picture({ database }: TestStore): Promise<string> {
  const { picture } = onlyRow(await database.query(PICTURE));
  return picture
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'id')
    .replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"time"');
}

function expectNoConnectionInUse({ database }: TestStore, where: string): void {
  const { total, idle, waiting } = database.stats;
  expect({ inUse: total - idle, waiting }, where).toEqual({ inUse: 0, waiting: 0 });
}

async function outcome(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
