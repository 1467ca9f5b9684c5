import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { hintOf } from '../../src/store/change.ts';
import { presentMessage } from '../../src/present/message.ts';
import type { StreamTiming } from '../../src/stream/timing.ts';
import { eventually } from '@chatd/test-server/eventually';
import { calls, results, says, TestStore } from '@chatd/test-server/database';
import { silent } from '../bus/world.ts';
import { HOLDER, Replica } from './replica.ts';
import { RunningChat } from './running-chat.ts';
import { Seen, Viewer } from './viewer.ts';

const store = await TestStore.open();
const bus = new MemoryBus(silent);
const replica = await Replica.start(store, bus);
store.listeners.add((change) => bus.publish('changes', { ...hintOf(change) }));
afterAll(() => replica.close());

async function another(timing: Partial<StreamTiming>): Promise<Replica> {
  const other = await Replica.start(store, bus, timing);
  onTestFinished(() => other.close());
  return other;
}

/** Waits until the client's log ends with these lines. */
const shows = (viewer: Viewer, ...lines: string[]) =>
  eventually(() => {
    viewer.seen.check();
    expect(viewer.seen.log.slice(-lines.length)).toEqual(lines);
  });

async function expectAllMessages(viewer: Viewer, chatId: string): Promise<void> {
  const visible = (await store.history(chatId)).filter(({ hidden }) => !hidden);
  await eventually(() =>
    expect([...viewer.seen.messages.values()]).toEqual(visible.map(presentMessage)),
  );
}

async function chatWithSteps(steps: number): Promise<RunningChat> {
  const chat = await RunningChat.create(replica);
  for (let step = 0; step < steps; step += 1) await chat.commit(says(`step ${step}`));
  return chat;
}

const texts = ({ seen }: Viewer) =>
  [...seen.messages.values()].map(({ content: [part] }) =>
    part?.type === 'text' ? part.text : '',
  );

/** Returns the names of the statements that run after this call, except those of the test. */
function statements(): () => string[] {
  const spy = vi.spyOn(store.database, 'query');
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.map(([{ name }]) => name).filter((name) => !name.startsWith('test-'));
}

describe('the first client of a chat', () => {
  test('gets a short chat with a single read', async () => {
    const chat = await chatWithSteps(3);
    const run = statements();
    const viewer = await replica.view(chat.id);
    await shows(viewer, 'message assistant', 'queue 0', 'status running');
    await expectAllMessages(viewer, chat.id);
    expect(run()).toEqual(['look-at-chat']);
  });

  test('reconnects with a cursor and gets what it lacks with a single read', async () => {
    const chat = await chatWithSteps(3);
    const elsewhere = await another({});
    const viewer = await elsewhere.view(chat.id);
    await expectAllMessages(viewer, chat.id);
    viewer.cut();
    await chat.commit(says('missed'));
    await eventually(() => expect(elsewhere.streams.stats.chats).toBe(0));
    const run = statements();
    await elsewhere.open(chat.id, new Viewer(viewer.seen));
    await expectAllMessages(viewer, chat.id);
    viewer.seen.check();
    expect(run()).toEqual(['look-at-chat']);
  });

  test('reconnects after a whole turn and gets the status, although it is the same', async () => {
    const chat = await chatWithSteps(1);
    await chat.finish();
    const viewer = await replica.view(chat.id);
    await shows(viewer, 'status waiting');
    viewer.cut();
    await store.client.send(chat.id, store.message('again'));
    const next = await RunningChat.take(replica, chat.id);
    await next.commit(says('done'));
    await next.finish();
    await replica.open(chat.id, new Viewer(viewer.seen));
    await shows(viewer, 'message user', 'message assistant', 'status waiting');
  });

  test('gets no messages that an edit dropped before the stream opened', async () => {
    const chat = await chatWithSteps(3);
    const joining = await replica.streams.join(await store.read(chat.id), {}, HOLDER);
    const [first] = await store.history(chat.id);
    await store.client.editMessage(chat.id, first!.id, {
      content: [{ type: 'text', text: 'edited' }],
      created_by: store.owner,
      model_config_id: null,
      reasoning_effort: null,
    });
    const viewer = new Viewer(new Seen());
    joining.open(viewer);
    await eventually(() => expect(texts(viewer)).toEqual(['edited']));
    viewer.seen.check();
  });
});

describe('a client that requests only the newest messages', () => {
  test('gets them and all other events', async () => {
    const chat = await chatWithSteps(120);
    const viewer = await replica.view(chat.id, new Seen(), { tail: 2 });
    await shows(viewer, 'message assistant', 'message assistant', 'queue 0', 'status running');
    expect(texts(viewer)).toEqual(['step 118', 'step 119']);
    await chat.commit(says('and on'));
    await eventually(() => expect(texts(viewer)).toEqual(['step 118', 'step 119', 'and on']));
    const cursor = viewer.seen.cursor;
    viewer.cut();
    await chat.commit(says('once more'));
    await replica.open(chat.id, new Viewer(viewer.seen), { tail: 1 });
    await eventually(() => expect(texts(viewer).slice(2)).toEqual(['and on', 'once more']));
    expect(viewer.seen.cursor).not.toBe(cursor);
    viewer.seen.check();
  });

  test('can request none, or those after a message that it knows', async () => {
    const chat = await chatWithSteps(3);
    const none = await replica.view(chat.id, new Seen(), { tail: 0 });
    await eventually(() => expect(none.seen.log).toEqual(['queue 0', 'status running']));
    const second = (await store.history(chat.id))[2];
    const some = await replica.view(chat.id, new Seen(), { afterMessage: second?.id });
    await shows(some, 'message assistant', 'queue 0', 'status running');
    const beyond = await replica.view(chat.id, new Seen(), { afterMessage: 2 ** 52 });
    await shows(beyond, 'queue 0', 'status running');
    await chat.commit(says('and on'));
    for (const viewer of [none, beyond]) {
      await eventually(() => expect(texts(viewer)).toEqual(['and on']));
    }
    expect(texts(some)).toEqual(['step 2', 'and on']);
  });

  test('gets no older messages after an edit', async () => {
    const chat = await chatWithSteps(120);
    await chat.finish();
    await store.client.send(chat.id, store.message('to be edited'));
    const all = await replica.view(chat.id);
    const viewer = await replica.view(chat.id, new Seen(), { tail: 3 });
    await eventually(() => expect(texts(all)).toHaveLength(122));
    await eventually(() => expect(texts(viewer)).toHaveLength(3));
    const last = (await store.history(chat.id)).at(-1);
    await store.client.editMessage(chat.id, last?.id ?? 0, {
      content: [{ type: 'text', text: 'edited' }],
      model_config_id: null,
      reasoning_effort: null,
      created_by: store.owner,
    });
    await eventually(() => expect(texts(viewer)).toEqual(['step 118', 'step 119', 'edited']));
    await expectAllMessages(all, chat.id);
    viewer.seen.check();
  });
});

describe('a client without a cursor', () => {
  test('gets the messages, the queue and the status', async () => {
    const chat = await RunningChat.create(replica);
    await store.client.send(chat.id, store.message('later'));
    const viewer = await replica.view(chat.id);
    await eventually(() =>
      expect(viewer.seen.log).toEqual(['message user', 'queue 1', 'status running']),
    );
    expect(viewer.seen.queued).toMatchObject([{ content: [{ type: 'text', text: 'later' }] }]);
    await expectAllMessages(viewer, chat.id);
  });

  test('gets the live parts of the current attempt, from the first', async () => {
    const chat = await RunningChat.create(replica);
    await chat.beginAttempt();
    chat.say('a', 'b', 'c');
    const viewer = await replica.view(chat.id);
    await shows(viewer, 'message user', 'queue 0', 'status running', 'part 1-3');
    expect(viewer.seen.liveText).toBe('abc');
  });

  test('gets each message of a long history once, in order', async () => {
    const chat = await RunningChat.create(replica);
    for (let index = 0; index < 130; index += 1) await chat.commit(says(`step ${index}`));
    const viewer = await replica.view(chat.id);
    await shows(viewer, 'queue 0', 'status running');
    await expectAllMessages(viewer, chat.id);
    expect(viewer.seen.log).toHaveLength(133);
  });

  test('gets the current error, retry or required action', async () => {
    const failed = await RunningChat.create(replica);
    await store.runner.fail(failed.id, failed.fence, {
      message: 'no key',
      kind: 'auth',
      retryable: false,
    });
    await shows(await replica.view(failed.id), 'status error', 'error');

    const retrying = await RunningChat.create(replica);
    await retrying.beginAttempt();
    await store.runner.recordRetry(retrying.id, retrying.fence, retry(1));
    await shows(await replica.view(retrying.id), 'status running', 'retry');

    const asking = await RunningChat.create(replica);
    await asking.beginAttempt();
    await asking.commit(calls('c1', 'c2'));
    await store.runner.requireAction(
      asking.id,
      asking.fence,
      { c1: 'dynamic', c2: 'question' },
      60_000,
    );
    const viewer = await replica.view(asking.id);
    await shows(viewer, 'status requires_action', 'action_required');
    expect(viewer.seen.asked).toEqual([
      { tool_call_id: 'c1', tool_name: 'add', args: { a: 1, b: 2 }, kind: 'dynamic' },
      { tool_call_id: 'c2', tool_name: 'add', args: { a: 1, b: 2 }, kind: 'question' },
    ]);
  });
});

describe('a client that follows a chat', () => {
  test('sees a turn: parts, then the message, then the preview reset, then the status', async () => {
    const chat = await RunningChat.create(replica);
    const viewer = await replica.view(chat.id);
    await shows(viewer, 'status running');
    await chat.beginAttempt();
    chat.say('hel', 'lo');
    await shows(viewer, 'part 1-2');
    await chat.commit(says('hello'));
    await shows(viewer, 'message assistant', 'preview_reset');
    await chat.finish();
    await shows(viewer, 'message assistant', 'preview_reset', 'status waiting');
    expect(viewer.seen.live).toBeUndefined();
  });

  test('sees the output of a running tool, and a new attempt after a failed one', async () => {
    const chat = await RunningChat.create(replica);
    const viewer = await replica.view(chat.id);
    await chat.beginAttempt();
    chat.say('first try');
    await shows(viewer, 'part 1');
    await store.runner.recordRetry(chat.id, chat.fence, retry(1));
    await shows(viewer, 'preview_reset', 'retry');
    await chat.beginAttempt();
    chat.say('second try');
    await shows(viewer, 'retry', 'part 1');
    await chat.commit(calls('c1'));
    await shows(viewer, 'message assistant', 'preview_reset');
    const output = { type: 'tool-result', tool_call_id: 'c1', tool_name: 'add' } as const;
    chat.push({ ...output, result_delta: '1' }, 'tool');
    await shows(viewer, 'part 1');
    chat.push({ ...output, result_delta: '2' }, 'tool');
    chat.push({ ...output, result: 12 }, 'tool');
    await eventually(() => expect(viewer.seen.live?.seq).toBe(3));
    await chat.commit(results('c1'));
    await shows(viewer, 'message tool', 'preview_reset');
  });

  test('gets a history reset after an edit, then the remaining messages', async () => {
    const chat = await RunningChat.create(replica);
    await chat.beginAttempt();
    await chat.commit(says('one'));
    await chat.finish();
    const viewer = await replica.view(chat.id);
    await shows(viewer, 'status waiting');
    const [first] = await store.history(chat.id);
    if (first === undefined) throw new Error('no first message');
    await store.client.editMessage(chat.id, first.id, {
      content: [{ type: 'text', text: 'again' }],
      model_config_id: null,
      reasoning_effort: null,
      created_by: store.owner,
    });
    await shows(viewer, 'history_reset', 'message user', 'status running');
    await expectAllMessages(viewer, chat.id);
  });

  test('never sees a hidden message', async () => {
    const chat = await RunningChat.create(replica);
    const viewer = await replica.view(chat.id);
    await chat.beginAttempt();
    await chat.commit({ ...says('a summary'), hidden: true }, says('visible'));
    await shows(viewer, 'message assistant');
    expect(JSON.stringify([...viewer.seen.messages.values()])).not.toContain('a summary');
    await expectAllMessages(viewer, chat.id);
  });

  test('sees changes without notifications, by polling', async () => {
    const deaf = await Replica.start(store, new MemoryBus(silent), { pollMs: 20 });
    onTestFinished(() => deaf.close());
    const chat = await RunningChat.create(replica);
    const viewer = await deaf.view(chat.id);
    await shows(viewer, 'status running');
    await chat.beginAttempt();
    await chat.commit(says('hello'));
    await shows(viewer, 'message assistant');
  });

  test('is disconnected when the chat is deleted', async () => {
    const chat = await RunningChat.create(replica);
    await chat.beginAttempt();
    await chat.commit(says('hello'));
    await chat.finish();
    const viewer = await replica.view(chat.id);
    await shows(viewer, 'status waiting');
    await store.client.delete(chat.id);
    await eventually(() => expect(viewer.ending).toBe('gone'));
  });

  test('shares its reads with all other clients: a change is read once', async () => {
    const chat = await RunningChat.create(replica);
    const viewers: Viewer[] = [];
    for (let index = 0; index < 50; index += 1) viewers.push(await replica.view(chat.id));
    await Promise.all(viewers.map((viewer) => shows(viewer, 'status running')));
    const before = replica.streams.stats.lookups;
    await chat.beginAttempt();
    await chat.commit(says('hello'));
    await chat.finish();
    await Promise.all(viewers.map((viewer) => shows(viewer, 'status waiting')));
    expect(replica.streams.stats.lookups - before).toBeLessThanOrEqual(3);
  });
});

describe('a client that reconnects', () => {
  test('gets what it has not seen, and nothing else', async () => {
    const chat = await RunningChat.create(replica);
    const first = await replica.view(chat.id);
    await chat.beginAttempt();
    chat.say('a', 'b');
    await shows(first, 'part 1-2');
    first.cut();
    chat.say('c', 'd');
    const second = await replica.view(chat.id, first.seen);
    await shows(second, 'part 1-2', 'part 3-4');
    second.cut();
    await chat.commit(says('abcd'));
    await chat.finish();
    const third = await replica.view(chat.id, first.seen);
    await shows(third, 'part 3-4', 'message assistant', 'preview_reset', 'status waiting');
    third.cut();
    const fourth = await replica.view(chat.id, first.seen);
    await store.client.send(chat.id, store.message('more'));
    await shows(fourth, 'status waiting', 'message user', 'status running');
  });

  test('can have been disconnected between any two events', async () => {
    const chat = await RunningChat.create(replica);
    await chat.beginAttempt();
    await chat.commit(calls('c1'));
    await store.client.send(chat.id, store.message('later'));
    const whole = ['message user', 'message assistant', 'queue 1', 'status running'];
    for (let events = 0; events <= whole.length; events += 1) {
      const viewer = await replica.view(chat.id);
      await shows(viewer, ...whole);
      const seen = new Seen();
      const cut = new Viewer(seen);
      cut.cutAfter(events);
      await replica.open(chat.id, cut);
      await eventually(() => expect(seen.log).toEqual(whole.slice(0, events)));
      cut.cut();
      await replica.view(chat.id, seen);
      await eventually(() => expect(seen.log).toEqual(whole));
    }
  });

  test('starts over after an edit', async () => {
    const chat = await RunningChat.create(replica);
    await chat.beginAttempt();
    await chat.commit(says('one'));
    await chat.finish();
    const viewer = await replica.view(chat.id);
    await shows(viewer, 'status waiting');
    viewer.cut();
    const [first] = await store.history(chat.id);
    await store.client.editMessage(chat.id, first?.id ?? 0, {
      content: [{ type: 'text', text: 'again' }],
      model_config_id: null,
      reasoning_effort: null,
      created_by: null,
    });
    const back = await replica.view(chat.id, viewer.seen);
    await shows(back, 'status waiting', 'history_reset', 'message user', 'status running');
    await expectAllMessages(back, chat.id);
  });

  test.each(['', 'x', '1.', `1.${'z'.repeat(400)}`, '1.00000000.1.0.1.1.0.2.0'])(
    'with the cursor %j is refused',
    async (cursor) => {
      const { id } = await store.create();
      const row = await store.read(id);
      await expect(replica.streams.join(row, { cursor }, HOLDER)).rejects.toMatchObject({
        code: 'invalid_cursor',
      });
    },
  );

  test('with a cursor ahead of the chat is refused', async () => {
    const row = await store.read((await store.create()).id);
    const tail = row.id.slice(-8);
    for (const cursor of [
      `1.${tail}.99.0.1.1.0.2.0`,
      `1.${tail}.1.9.1.1.0.2.0`,
      `1.${tail}.1.0.zzzzzz.1.0.2.0`,
      `1.${tail}.1.0.1.9.0.2.0`,
      `1.${tail}.1.0.1.1.9.2.0`,
      `1.${tail}.1.0.1.1.0.2.0.9.1.1.ab`,
      `1.${tail}.1.0.1.1.0.z.0`,
    ]) {
      await expect(replica.streams.join(row, { cursor }, HOLDER), cursor).rejects.toMatchObject({
        code: 'invalid_cursor',
      });
    }
  });
});

describe('a slow client', () => {
  test('catches up with merged parts and does not delay others', async () => {
    const chat = await RunningChat.create(replica);
    const [slow, quick] = [await replica.view(chat.id), await replica.view(chat.id)];
    await shows(slow, 'status running');
    await chat.beginAttempt();
    slow.stop();
    const text = 'x'.repeat(1000);
    for (let index = 0; index < 600; index += 1) {
      chat.say(text);
      if (index % 20 === 0) await eventually(() => expect(quick.seen.live?.seq).toBe(index + 1));
    }
    await eventually(() => expect(quick.seen.live?.seq).toBe(600));
    expect(slow.seen.live).toBeUndefined();
    expect(slow.backlog).toBeLessThan(400_000);
    slow.resume();
    await eventually(() => expect(slow.seen.live?.seq).toBe(600));
    expect(slow.seen.liveText).toBe(quick.seen.liveText);
    await chat.commit(says('done'));
    await shows(slow, 'message assistant', 'preview_reset');
  });

  test('is disconnected if it reads nothing for too long, and can reconnect', async () => {
    const impatient = await another({ stallMs: 40 });
    const chat = await RunningChat.create(impatient);
    const slow = await impatient.view(chat.id);
    await shows(slow, 'status running');
    slow.stop();
    await chat.beginAttempt();
    chat.say('x'.repeat(300_000));
    await eventually(() => expect(slow.ending).toBe('slow'));
    expect(impatient.streams.stats.slowCloses).toBe(1);
    const back = await impatient.view(chat.id, slow.seen);
    await shows(back, 'status running', 'part 1');
  });
});

test('stopping a replica disconnects its clients', async () => {
  const stopping = await another({});
  const chat = await RunningChat.create(stopping);
  const viewer = await stopping.view(chat.id);
  await shows(viewer, 'status running');
  await stopping.close();
  expect(viewer.ending).toBe('shutdown');
  const back = await replica.view(chat.id, viewer.seen);
  await store.client.send(chat.id, store.message('more'));
  await shows(back, 'status running', 'queue 1');
});

test('pings and comments keep an idle connection alive', async () => {
  const lively = await another({ pingMs: 20, keepAliveMs: 20 });
  const { id } = await store.create();
  const viewer = await lively.view(id);
  await shows(viewer, 'ping', 'ping');
  const taken = viewer.taken;
  await eventually(() => expect(viewer.taken).toBeGreaterThan(taken));
});

function retry(attempt: number) {
  return {
    attempt,
    delay_ms: 1,
    retrying_at: new Date(0).toISOString(),
    kind: 'rate_limit' as const,
    retryable: true,
    provider: 'demo',
    error: 'slow down',
  };
}
