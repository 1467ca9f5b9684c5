import { randomUUID } from 'node:crypto';
import { ProviderError, tool } from '@chatd/loop';
import { answer, fault, gate, startFakeProvider, text as says, toolCall } from '@chatd/testing';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import type { Models } from '../../src/providers/models.ts';
import { findChat } from '../../src/store/queries/chats/find.ts';
import { loadSettings } from '../../src/store/settings.ts';
import {
  createTestDatabase,
  DEMO_MODEL,
  execute,
  TestStore,
  text,
} from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { modelsAt, newBus, type Replica, type ReplicaOptions, startReplica } from './replica.ts';

const { url } = await createTestDatabase();
const store = await TestStore.open(url);
const provider = await startFakeProvider({ api: 'anthropic' });
const bus = newBus();
const replicas: Replica[] = [];

afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop();
  await execute(url, `TRUNCATE chats CASCADE; UPDATE settings SET value = '{}'`);
  if (provider.rejected.length > 0) {
    throw new Error(`The provider refused a prompt: ${JSON.stringify(provider.rejected)}`);
  }
});

async function start(options: ReplicaOptions = {}): Promise<Replica> {
  const replica = await startReplica({ url, bus, models: modelsAt(provider.url), ...options });
  replicas.push(replica);
  return replica;
}

/** Commits, then publishes, as the server does. */
const client = () => replicas.at(-1)!.store.client;
async function create(content: string, over = {}): Promise<string> {
  const chat = await store.create({ content: text(content), ...over });
  bus.publish('changes', {
    command: 'create',
    id: chat.id,
    status: 'running',
    snapshot_version: 1,
  });
  return chat.id;
}

const arrives = (id: string, status: string) =>
  eventually(async () => {
    const chat = await store.read(id);
    expect(chat.status).toBe(status);
    return chat;
  });

const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  input: z.object({ a: z.number(), b: z.number() }),
  idempotent: true,
  run: ({ a, b }) => a + b,
});
const callsAdd = () => answer([toolCall('add', { a: 1, b: 2 }, { id: 'toolu_1' })]);

test('a message is answered, and the chat waits for the next one', async () => {
  const { shown } = await start();
  provider.answer(answer([says('Hello!', { chunks: 3 })]), answer([says('Fine.')]));
  const id = await create('Hi');
  const chat = await arrives(id, 'waiting');
  expect(chat).toMatchObject({ runner_id: null, worker_id: null, attempt: 0 });
  await client().send(id, store.message('How are you?'));
  await eventually(async () => expect(await store.story(id)).toHaveLength(4));
  expect(await store.story(id)).toEqual([
    'user: Hi',
    'assistant: Hello!',
    'user: How are you?',
    'assistant: Fine.',
  ]);
  expect(shown.parts.filter(({ part }) => part.type === 'text').length).toBeGreaterThanOrEqual(2);
  const [, said] = await store.history(id);
  expect(said).toMatchObject({ model_config_id: DEMO_MODEL, runtime_ms: expect.any(Number) });
});

test('a tool of the server runs between two commits', async () => {
  await start({ tools: [add] });
  provider.answer(callsAdd(), answer([says('It is 3.')]));
  const id = await create('What is 1 + 2?');
  await arrives(id, 'waiting');
  expect(await store.story(id)).toEqual([
    'user: What is 1 + 2?',
    'assistant: call(toolu_1)',
    'tool: result(toolu_1)',
    'assistant: It is 3.',
  ]);
});

test("a turn waits for the result of a client's tool, then continues", async () => {
  await start();
  const dynamic_tools = [{ name: 'add', description: '', input_schema: { type: 'object' } }];
  provider.answer(callsAdd(), answer([says('It is 3.')]));
  const id = await create('What is 1 + 2?', { dynamic_tools });
  const chat = await arrives(id, 'requires_action');
  expect(chat.open_calls).toMatchObject([{ tool_call_id: 'toolu_1', kind: 'dynamic' }]);
  await client().submitToolResults(id, [{ tool_call_id: 'toolu_1', output: 3 }]);
  await arrives(id, 'waiting');
  expect((await store.story(id)).at(-1)).toBe('assistant: It is 3.');
});

test('calls that a client does not answer in time are canceled', async () => {
  const settings = async () => ({
    ...(await loadSettings(store.database)),
    dynamic_tool_timeout_seconds: 0.001,
  });
  await start({ settings });
  const dynamic_tools = [{ name: 'add', description: '', input_schema: { type: 'object' } }];
  provider.answer(callsAdd(), answer([says('Nobody answers.')]));
  const id = await create('What is 1 + 2?', { dynamic_tools });
  await arrives(id, 'waiting');
  expect(await store.story(id)).toEqual([
    'user: What is 1 + 2?',
    'assistant: call(toolu_1)',
    'tool: error(toolu_1)',
    'assistant: Nobody answers.',
  ]);
});

test('an interrupt keeps the partial answer and closes the connection to the provider', async () => {
  await start();
  const pause = gate();
  provider.answer(answer([says(['Once upon ', pause, 'a time'])]));
  const asked = provider.requests.length;
  const id = await create('Tell me a story');
  await pause.reached;
  await eventually(() => expect(replicas[0]!.shown.parts.length).toBeGreaterThan(0));
  await client().interrupt(id);
  await arrives(id, 'waiting');
  expect(await store.story(id)).toEqual(['user: Tell me a story', 'assistant: Once upon ']);
  expect(await provider.closed[asked]).toBe('aborted');
});

test('an interrupting message runs next, a queued one after it', async () => {
  await start();
  const pause = gate();
  provider.answer(answer([says(['Once ', pause])]), answer([says('B')]), answer([says('C')]));
  const id = await create('A?');
  await pause.reached;
  await eventually(() => expect(replicas[0]!.shown.parts.length).toBeGreaterThan(0));
  await client().send(id, store.message('C?', 'queue'));
  await client().send(id, store.message('B?', 'interrupt'));
  await eventually(async () => expect(await store.story(id)).toHaveLength(6));
  await arrives(id, 'waiting');
  expect(await store.story(id)).toEqual([
    'user: A?',
    'assistant: Once ',
    'user: B?',
    'assistant: B',
    'user: C?',
    'assistant: C',
  ]);
});

test('a steering message is delivered between two steps', async () => {
  const pause = gate();
  await start({ tools: [add] });
  provider.answer(
    answer([says(['Let me add. ', pause]), toolCall('add', { a: 1, b: 2 }, { id: 'toolu_1' })]),
    answer([says('3, in French: trois.')]),
  );
  const id = await create('1 + 2?');
  await pause.reached;
  await client().send(id, store.message('In French', 'steer'));
  pause.release();
  await arrives(id, 'waiting');
  expect(await store.story(id)).toEqual([
    'user: 1 + 2?',
    'assistant: Let me add.  call(toolu_1)',
    'tool: result(toolu_1)',
    'user: In French',
    'assistant: 3, in French: trois.',
  ]);
});

test('an edit during a response restarts the turn with the edited message', async () => {
  await start();
  const pause = gate();
  provider.answer(answer([says(['Wrong ', pause])]), answer([says('Right')]));
  const id = await create('typo');
  await pause.reached;
  const [first] = await store.history(id);
  await client().editMessage(id, first!.id, {
    content: text('no typo'),
    model_config_id: null,
    reasoning_effort: null,
    created_by: store.owner,
  });
  await arrives(id, 'waiting');
  expect(await store.story(id)).toEqual(['user: no typo', 'assistant: Right']);
});

test('a hint about an earlier interrupt, which arrives while the turn restarts, does not stop it', async () => {
  const { store: own } = await start();
  const pause = gate();
  provider.answer(answer([says(['Wrong ', pause])]), answer([says('Right')]));
  const id = await create('typo');
  await pause.reached;
  const edit = async (content: string) => {
    const first = (await store.history(id)).find(({ role }) => role === 'user');
    const edited = { content: text(content), model_config_id: null, reasoning_effort: null };
    await store.client.editMessage(id, first!.id, { ...edited, created_by: store.owner });
    return (await store.read(id)).snapshot_version;
  };
  const hint = (command: string, status: string, snapshot_version: number) =>
    bus.publish('changes', { command, id, status, snapshot_version });
  // Clients of another replica, whose hints are late.
  const edited = await edit('still a typo');
  await store.client.interrupt(id);
  const interrupted = (await store.read(id)).snapshot_version;
  await edit('no typo');
  const query = own.database.query.bind(own.database) as (...args: unknown[]) => Promise<never>;
  vi.spyOn(own.database, 'query').mockImplementation(async (...args: unknown[]) => {
    const rows = await query(...args);
    const [{ name }] = args as [{ readonly name: string }];
    if (name === findChat.name) hint('interrupt', 'interrupting', interrupted);
    return rows;
  });
  hint('edit_message', 'running', edited);
  await arrives(id, 'waiting');
  expect(await store.story(id)).toEqual(['user: no typo', 'assistant: Right']);
});

test('a queued message with another model is answered by that model', async () => {
  const other = '00000000-0000-7000-8000-0000000000aa';
  await execute(
    url,
    `INSERT INTO model_configs (id, provider_id, model, display_name, context_limit)
     SELECT '${other}', provider_id, 'x', 'X', 1000 FROM model_configs WHERE id = '${DEMO_MODEL}'
     ON CONFLICT DO NOTHING`,
  );
  await start();
  const pause = gate();
  provider.answer(answer([says(['A', pause])]), answer([says('B')]));
  const before = provider.requests.length;
  const id = await create('A?');
  await pause.reached;
  await client().send(id, { ...store.message('B?'), model_config_id: other });
  pause.release();
  await eventually(async () => expect(await store.story(id)).toHaveLength(4));
  expect(provider.requests.slice(before).map(({ body }) => body['model'])).toEqual([
    'claude-sonnet-4-5',
    'claude-opus-4-1',
  ]);
});

test('a permanent failure ends the turn with an error, which the next message clears', async () => {
  await start();
  provider.answer(fault.status(401), answer([says('Again.')]));
  const id = await create('Hi');
  const chat = await arrives(id, 'error');
  expect(chat.last_error).toMatchObject({ kind: 'auth', retryable: false });
  await client().send(id, store.message('Now?'));
  expect(await arrives(id, 'waiting')).toMatchObject({ last_error: null });
});

const refuse = () =>
  Promise.reject(new ProviderError({ kind: 'missing_key', message: 'Add a key first.' }));

test('an unavailable model is an error of the chat, not of the worker', async () => {
  const models: Models = { forChat: refuse, forTitle: refuse };
  await start({ models });
  const id = await create('Hi');
  const chat = await arrives(id, 'error');
  expect(chat.last_error).toMatchObject({ kind: 'missing_key', message: 'Add a key first.' });
});

test('an unexpected exception ends the turn and is not retried with every sweep', async () => {
  let tries = 0;
  const models: Models = {
    forChat: () => {
      tries += 1;
      return Promise.reject(new TypeError('nobody foresaw this'));
    },
    forTitle: () => Promise.reject(new TypeError('nobody foresaw this')),
  };
  await start({ models });
  const id = await create('Hi');
  const chat = await arrives(id, 'error');
  expect(chat.last_error).toMatchObject({ kind: 'generic' });
  expect(tries).toBe(1);
});

test('a worker that shuts down hands over its chats immediately, and the current step restarts', async () => {
  const first = await start();
  const pause = gate();
  provider.answer(answer([says(['Half ', pause])]), answer([says('Whole')]));
  const id = await create('Hi');
  await pause.reached;
  const second = await start({ leaseMs: 600_000 });
  await first.stop();
  await arrives(id, 'waiting');
  expect(second.shown.parts.length).toBeGreaterThan(0);
  expect(await store.story(id)).toEqual(['user: Hi', 'assistant: Whole']);
});

test('calls that a previous owner may have started run again only if they are idempotent', async () => {
  let sent = 0;
  const send = tool({
    name: 'send',
    description: 'Sends a letter',
    input: z.object({}),
    idempotent: false,
    run: () => (sent += 1),
  });
  // A worker died after it committed the calls.
  const { id } = await store.create();
  const fence = await store.take(id);
  const response = {
    role: 'assistant' as const,
    content: ['add', 'send'].map((name) => ({
      type: 'tool-call' as const,
      tool_call_id: name,
      tool_name: name,
      args: name === 'add' ? { a: 1, b: 2 } : {},
    })),
    meta: { finish_reason: 'tool-calls', starts: ['add', 'send'] },
  };
  await store.runner.commitStep(id, fence, { messages: [response], attempt: 0 });
  await store.runner.release(id, fence.runner_id);
  provider.answer(answer([says('I see.')]));
  provider.remember({ toolUseIds: ['add', 'send'] } as never);
  await start({ tools: [add, send] });
  await arrives(id, 'waiting');
  expect(sent).toBe(0);
  const [, , results] = await store.history(id);
  expect(results!.content).toMatchObject([
    { tool_call_id: 'add', result: 3 },
    { tool_call_id: 'send', is_error: true, result: expect.stringContaining('unknown') },
  ]);
});

test('an owner that lost its chat commits nothing, and its tools are stopped', async () => {
  const started = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<unknown>();
  const hang = tool({
    name: 'add',
    description: 'Never ends by itself',
    input: z.object({ a: z.number(), b: z.number() }),
    idempotent: true,
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.resolve(signal.reason);
          reject(signal.reason as Error);
        });
        started.resolve();
      }),
  });
  // The worker notices it with its next heartbeat.
  await start({ tools: [hang], leaseMs: 2000 });
  provider.answer(callsAdd());
  const id = await create('1 + 2?');
  await started.promise;
  // Another worker takes over, as after an expired lease.
  await execute(
    url,
    `INSERT INTO workers (id, heartbeat_at) VALUES ('${store.worker}', now() + interval '1 hour')
       ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at;
     UPDATE chats SET runner_id = gen_random_uuid(), worker_id = '${store.worker}' WHERE id = '${id}'`,
  );
  onTestFinished(async () => {
    await execute(url, 'DELETE FROM workers');
  });
  expect(await stopped.promise).toMatchObject({ name: 'LostLease' });
  await eventually(() => expect(replicas[0]!.worker.running).toBe(0));
  expect(await store.story(id)).toHaveLength(2);
});

test('a chat that a worker loses and gets back between two heartbeats runs once', async () => {
  const { shown, worker } = await start();
  const [old, young] = [gate(), gate()];
  provider.answer(
    answer([says(['Never ', old, 'finished'])]),
    answer([says(['All ', young, 'of it'])]),
  );
  const asked = provider.requests.length;
  const id = await create('Hi');
  await old.reached;
  await eventually(() => expect(shown.parts.length).toBeGreaterThan(0));
  // Another worker acquired and released it between two heartbeats of this one.
  await execute(url, `UPDATE chats SET runner_id = NULL, worker_id = NULL WHERE id = '${id}'`);
  await young.reached;
  expect(await provider.closed[asked]).toBe('aborted');
  expect(worker.running).toBe(1);
  young.release();
  await arrives(id, 'waiting');
  expect(await store.story(id)).toEqual(['user: Hi', 'assistant: All of it']);
  const said = shown.parts.map(({ part }) => (part.type === 'text' ? part.text : ''));
  expect(said.join('')).toBe('Never All of it');
});

test('chats beyond the limit wait, report it, and run when there is capacity', async () => {
  await execute(url, `UPDATE settings SET value = '{"max_running_chats": 1}'`);
  await start();
  const pause = gate();
  provider.answer(answer([says(['One', pause])]), answer([says('Two')]));
  const first = await create('1');
  await pause.reached;
  const second = await create('2');
  await eventually(async () =>
    expect(await store.read(second)).toMatchObject({ queued_for_capacity: true, runner_id: null }),
  );
  pause.release();
  await arrives(first, 'waiting');
  expect(await arrives(second, 'waiting')).toMatchObject({ queued_for_capacity: false });
});

test('chats beyond the limit of their user wait, while the chats of other users run', async () => {
  await execute(url, `UPDATE settings SET value = '{"max_running_chats_per_user": 1}'`);
  await start();
  const other = await TestStore.open(url);
  const pause = gate();
  provider.answer(answer([says(['One', pause])]), answer([says('Theirs')]), answer([says('Two')]));
  const first = await create('1');
  await pause.reached;
  const second = await create('2');
  await eventually(async () =>
    expect(await store.read(second)).toMatchObject({ queued_for_capacity: true, runner_id: null }),
  );
  const theirs = await create('3', { owner_id: other.owner });
  await arrives(theirs, 'waiting');
  expect(await store.read(second)).toMatchObject({ runner_id: null });
  pause.release();
  await arrives(first, 'waiting');
  await arrives(second, 'waiting');
  expect(await store.story(second)).toEqual(['user: 2', 'assistant: Two']);
});

test('a worker with a concurrency of 1 alternates between users', async () => {
  await start({ concurrency: 1 });
  const other = await TestStore.open(url);
  const pause = gate();
  const asked = provider.requests.length;
  provider.answer(
    answer([says(['Busy', pause])]),
    ...Array.from({ length: 4 }, () => answer([says('Done')])),
  );
  const first = await create('busy');
  await pause.reached;
  const mine = [await create('mine 1'), await create('mine 2'), await create('mine 3')];
  const theirs = await create('theirs', { owner_id: other.owner });
  await eventually(async () =>
    expect(await store.read(theirs)).toMatchObject({ queued_for_capacity: true }),
  );
  pause.release();
  for (const id of [first, ...mine, theirs]) await arrives(id, 'waiting');
  const order = provider.requests
    .slice(asked + 1)
    .map((request) => /mine \d|theirs/.exec(JSON.stringify(request))?.[0]);
  expect(order.indexOf('theirs')).toBeLessThanOrEqual(1);
});

test('a history is summarized on request', async () => {
  await start();
  provider.answer(
    answer([says('Hello!')]),
    answer([says('A summary of it all')]),
    answer([says('Yes.')]),
  );
  const id = await create('Hi');
  await arrives(id, 'waiting');
  await client().requestCompaction(id);
  await eventually(async () => expect(await store.story(id)).toHaveLength(5));
  const chat = await arrives(id, 'waiting');
  expect(chat.compaction_requested).toBe(false);
  const history = await store.history(id);
  expect(history.map(({ role, hidden }) => `${role}${hidden ? ' hidden' : ''}`)).toEqual([
    'user',
    'assistant',
    'assistant',
    'tool',
    'user hidden',
  ]);
  // The next turn, in a worker without a cached history, begins with the summary.
  await replicas.splice(0)[0]!.stop();
  await start();
  const before = provider.requests.length;
  await client().send(id, store.message('Still there?'));
  await eventually(async () => expect(await store.story(id)).toHaveLength(7));
  expect(JSON.stringify(provider.requests[before]!.body)).toContain('A summary of it all');
  expect(JSON.stringify(provider.requests[before]!.body)).not.toContain('Hello!');
});

test('a worker releases and reacquires a chat that it owns but does not run', async () => {
  // The acquisition was committed, but its response was lost.
  const workerId = randomUUID();
  const { id } = await store.create();
  await execute(
    url,
    `INSERT INTO workers VALUES ('${workerId}', clock_timestamp());
     UPDATE chats SET runner_id = gen_random_uuid(), worker_id = '${workerId}' WHERE id = '${id}'`,
  );
  provider.answer(answer([says('Here I am.')]));
  await start({ workerId, leaseMs: 500 });
  await arrives(id, 'waiting');
  expect(await store.story(id)).toEqual(['user: first', 'assistant: Here I am.']);
});
