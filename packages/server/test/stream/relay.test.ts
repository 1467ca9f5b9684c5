import type { Json } from '@chatd/protocol';
import * as fc from 'fast-check';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { openPostgresBus } from '../../src/bus/open-bus.ts';
import type { Change } from '../../src/store/change.ts';
import type { StreamTiming } from '../../src/stream/timing.ts';
import { silent } from '../bus/world.ts';
import { eventually } from '@chatd/test-server/eventually';
import { calls, says, TestStore } from '@chatd/test-server/database';
import { LossyBus } from './lossy-bus.ts';
import { move } from './random-moves.ts';
import { NEVER, Replica } from './replica.ts';
import { RunningChat } from './running-chat.ts';
import { Stage } from './stage.ts';
import type { Viewer } from './viewer.ts';

const store = await TestStore.open();

/** Two replicas: `runs` runs the chat, `shows` serves clients. The bus can lose what `runs` publishes. */
async function startReplicas(timing: Partial<StreamTiming> = {}) {
  const between = new MemoryBus(silent);
  const bus = new LossyBus(between);
  const runs = await Replica.start(store, bus, timing);
  const shows = await Replica.start(store, between, timing);
  const listener = (change: Change) => between.publish('changes', { ...change });
  store.listeners.add(listener);
  onTestFinished(async () => {
    store.listeners.delete(listener);
    await runs.close();
    await shows.close();
  });
  return { runs, shows, bus, between };
}

const until = (viewer: Viewer, ...lines: string[]) =>
  eventually(() => {
    viewer.seen.check();
    expect(viewer.seen.log.slice(-lines.length)).toEqual(lines);
  });

const untilSeq = (viewer: Viewer, seq: number) =>
  eventually(() => {
    viewer.seen.check();
    expect(viewer.seen.live?.seq).toBe(seq);
  });

test('a replica that joins late replays the parts, then follows them', async () => {
  const { runs, shows } = await startReplicas();
  const chat = await RunningChat.create(runs);
  await chat.beginAttempt();
  for (let index = 1; index <= 1000; index += 1) chat.say(`${index} `);
  const viewer = await shows.view(chat.id);
  await untilSeq(viewer, 1000);
  chat.say('more');
  await untilSeq(viewer, 1001);
  const here = await runs.view(chat.id);
  await untilSeq(here, 1001);
  expect(viewer.seen.liveText).toBe(here.seen.liveText);
});

test('a client continues at another replica, even within merged parts', async () => {
  const { runs, shows } = await startReplicas();
  const chat = await RunningChat.create(runs);
  await chat.beginAttempt();
  chat.say('a', 'b', 'c');
  const first = await runs.view(chat.id);
  await untilSeq(first, 3);
  first.cut();
  for (let index = 0; index < 600; index += 1) chat.say('x');
  const other = await shows.view(chat.id);
  await untilSeq(other, 603);
  const second = await shows.view(chat.id, first.seen);
  await untilSeq(second, 603);
  expect(second.seen.liveText).toBe(`abc${'x'.repeat(600)}`);
});

test('lost parts are requested again', async () => {
  const { runs, shows, bus } = await startReplicas({ renewMs: NEVER });
  const chat = await RunningChat.create(runs);
  await chat.beginAttempt();
  chat.say('a');
  const viewer = await shows.view(chat.id);
  await untilSeq(viewer, 1);
  bus.losing = true;
  chat.say('b', 'c');
  await eventually(() => expect(bus.lost).toBeGreaterThan(0));
  bus.losing = false;
  chat.say('d');
  await untilSeq(viewer, 4);
  expect(viewer.seen.liveText).toBe('abcd');
});

test('parts lost at the end of a burst are found when the lease is renewed', async () => {
  const { runs, shows, bus } = await startReplicas({ renewMs: 30 });
  const chat = await RunningChat.create(runs);
  await chat.beginAttempt();
  chat.say('a');
  const viewer = await shows.view(chat.id);
  await untilSeq(viewer, 1);
  bus.losing = true;
  chat.say('b');
  await eventually(() => expect(bus.lost).toBeGreaterThan(0));
  bus.losing = false;
  await untilSeq(viewer, 2);
});

/** A client that saw three parts on one replica and continues on the other, which has only the first. */
async function ahead(timing: Partial<StreamTiming>) {
  const { runs, shows, bus } = await startReplicas({ renewMs: NEVER, ...timing });
  const chat = await RunningChat.create(runs);
  await chat.beginAttempt();
  chat.say('a');
  const behind = await shows.view(chat.id);
  await untilSeq(behind, 1);
  bus.losing = true;
  chat.say('b', 'c');
  await eventually(() => expect(bus.lost).toBeGreaterThan(0));
  const before = await runs.view(chat.id);
  await untilSeq(before, 3);
  before.cut();
  const viewer = await shows.view(chat.id, before.seen);
  return { chat, bus, viewer };
}

test('a client that is ahead of its replica waits for later parts', async () => {
  const { chat, bus, viewer } = await ahead({ patienceMs: NEVER });
  bus.losing = false;
  chat.say('d');
  await untilSeq(viewer, 4);
  expect(viewer.seen.liveText).toBe('abcd');
  expect(viewer.seen.log).not.toContain('preview_reset');
});

test('a client that is ahead of its replica does not wait forever', async () => {
  const { viewer } = await ahead({ patienceMs: 20 });
  await until(viewer, 'preview_reset', 'part 1');
  expect(viewer.seen.liveText).toBe('a');
});

test('nothing is sent without subscribers', async () => {
  const { runs, shows, between } = await startReplicas();
  const sent: Json[] = [];
  await between.subscribe(`parts.${shows.id}`, (message) => sent.push(message));
  const chat = await RunningChat.create(runs);
  await chat.beginAttempt();
  chat.say('a');
  const viewer = await shows.view(chat.id);
  await untilSeq(viewer, 1);
  expect(sent.length).toBeGreaterThan(0);
  viewer.cut();
  await eventually(() => expect(shows.streams.stats.relayed).toBe(0));
  const before = sent.length;
  chat.say('b');
  const here = await runs.view(chat.id);
  await untilSeq(here, 2);
  expect(sent.length).toBe(before);
});

test('a replica that disappears is forgotten', async () => {
  const { runs, shows, between } = await startReplicas({ interestMs: 30, renewMs: 10 });
  const gone = 'a replica that asks no more';
  const sent: Json[] = [];
  await between.subscribe(`parts.${gone}`, (message) => sent.push(message));
  const chat = await RunningChat.create(runs);
  await chat.beginAttempt();
  chat.say('a');
  const ask = { replica: gone, chats: [[chat.id, '?', 0]], leave: [] };
  await eventually(async () => {
    await between.request(`live.${runs.id}`, ask, { timeoutMs: 20_000 });
    expect(sent.length).toBeGreaterThan(0);
  });
  // A replica that keeps asking gets its parts at the same time.
  const viewer = await shows.view(chat.id);
  let said = 1;
  await eventually(async () => {
    const before = sent.length;
    chat.say('b');
    said += 1;
    await untilSeq(viewer, said);
    expect(sent.length).toBe(before);
  });
});

test('if the owner dies, its parts are withdrawn, and another replica retries the attempt', async () => {
  const { runs, shows } = await startReplicas({ pollMs: 30, answerMs: 30 });
  const chat = await RunningChat.create(runs);
  await chat.beginAttempt();
  chat.say('half an ans');
  const viewer = await shows.view(chat.id);
  await until(viewer, 'part 1');
  await runs.close();
  const again = await RunningChat.take(shows, chat.id, -1000);
  await again.beginAttempt();
  again.say('a whole answer');
  await until(viewer, 'part 1', 'preview_reset', 'part 1');
  expect(viewer.seen.liveText).toBe('a whole answer');
  await again.commit(says('a whole answer'));
  await until(viewer, 'message assistant', 'preview_reset');
});

test('a tool phase that is taken over restarts its parts', async () => {
  const { runs, shows } = await startReplicas({ pollMs: 30 });
  const chat = await RunningChat.create(runs);
  await chat.beginAttempt();
  await chat.commit(calls('c1'));
  const output = { type: 'tool-result', tool_call_id: 'c1', tool_name: 'add' } as const;
  chat.push({ ...output, result_delta: 'one' }, 'tool');
  const [there, here] = [await shows.view(chat.id), await runs.view(chat.id)];
  for (const viewer of [there, here]) await untilSeq(viewer, 1);
  const again = await RunningChat.take(shows, chat.id, -1000);
  again.begin();
  again.push({ ...output, result_delta: 'two' }, 'tool');
  for (const viewer of [there, here]) {
    await until(viewer, 'preview_reset', 'part 1');
    expect(viewer.seen.liveText).toBe('two');
  }
});

test('without a response from the owner, a client gets the committed messages', async () => {
  const { shows } = await startReplicas({ answerMs: 20 });
  const { id } = await store.create();
  await store.runner.acquireNamed('00000000-0000-4000-8000-000000000000', [id], 1000);
  const viewer = await shows.view(id);
  await until(viewer, 'message user', 'queue 0', 'status running');
});

test('after random sequences over the PostgreSQL bus, clients see the stored state', async () => {
  const timing = { pollMs: 100, renewMs: 100, patienceMs: 500 };
  const replicas = await Promise.all(
    [0, 1].map(async () => {
      const bus = new LossyBus(await openPostgresBus({ url: store.url, log: silent }));
      return { bus, replica: await Replica.start(store, bus, timing) };
    }),
  );
  const listener = (change: Change) => replicas[0]?.bus.publish('changes', { ...change });
  store.listeners.add(listener);
  onTestFinished(async () => {
    store.listeners.delete(listener);
    await Promise.all(replicas.map(({ replica }) => replica.close()));
    await Promise.all(replicas.map(({ bus }) => bus.close()));
  });
  const seed = Number(process.env['CHATD_TEST_SEED'] ?? Date.now() % 2 ** 31);
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 5, maxLength: 60, size: 'max' }),
      async (moves) => {
        const stage = await Stage.create(store, replicas);
        for (const each of moves) await stage.perform(each);
        await stage.end();
      },
    ),
    { numRuns: 40, seed, endOnFailure: true },
  );
}, 300_000);

afterAll(() => store.listeners.clear());
