import { tool } from '@chatd/loop';
import { answer, startFakeProvider, text as says, toolCall } from '@chatd/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { changeApprovals } from '../../src/store/approvals.ts';
import { changeSettings } from '../../src/store/settings.ts';
import { approvalToolbox } from '../../src/tools/approvals/approval-toolbox.ts';
import { fixedToolbox } from '../../src/tools/toolbox.ts';
import { createTestDatabase, execute, TestStore, text } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { modelsAt, newBus, type Replica, startReplica } from '../worker/replica.ts';

const { url } = await createTestDatabase();
const store = await TestStore.open(url);
const provider = await startFakeProvider({ api: 'anthropic' });
const bus = newBus();
let replica: Replica;
let effects: string[] = [];

const note = (name: string, idempotent = false) =>
  tool({
    name,
    description: `Notes down what ${name} was called with`,
    input: z.strictObject({ command: z.string() }),
    idempotent,
    run({ command }) {
      effects.push(`${name} ${command}`);
      return 'done';
    },
  });
const hang = tool({
  name: 'hang',
  input: z.strictObject({ command: z.string() }),
  idempotent: false,
  run({ command }, { signal }) {
    effects.push(`hang ${command}`);
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    return promise;
  },
});
const work = fixedToolbox([note('execute'), { ...note('read', true), readOnly: true }, hang]);

const start = () =>
  startReplica({
    url,
    bus,
    models: modelsAt(provider.url),
    toolboxes: [work, approvalToolbox],
  });

beforeEach(async () => {
  effects = [];
  replica = await start();
});

afterEach(async () => {
  await replica.stop();
  await execute(
    url,
    `TRUNCATE chats CASCADE; TRUNCATE user_approvals; UPDATE settings SET value = '{}'`,
  );
  const [rejected] = provider.rejected;
  if (rejected !== undefined) throw new Error(`refused: ${JSON.stringify(rejected)}`);
});

const dynamic_tools = [{ name: 'locate', description: '', input_schema: { type: 'object' } }];

async function create(over = {}): Promise<{ id: string; owner_id: string }> {
  const { id, owner_id } = await replica.store.database.transaction((tx) =>
    replica.store.creation.create(
      {
        id: crypto.randomUUID(),
        owner_id: store.owner,
        title: 'Test',
        title_source: 'user',
        content: text('Go on'),
        model_config_id: '00000000-0000-7000-8000-000000000002',
        reasoning_effort: null,
        system_prompt: null,
        labels: {},
        plan_mode: false,
        dynamic_tools: [],
        mcp_server_ids: [],
        workspace_id: null,
        parent: null,
        ...over,
      },
      tx,
    ),
  );
  return { id, owner_id };
}

const arrives = (id: string, status: string) =>
  eventually(async () => {
    const chat = await store.read(id);
    expect(chat.status).toBe(status);
    return chat;
  });

const ask = (pattern: string) =>
  changeSettings(store.database, { approvals: [{ pattern, action: 'ask' }] });
const runs = (id: string, command: string, name = 'execute') => toolCall(name, { command }, { id });
const offered = () =>
  (provider.requests.at(-1)!.body['tools'] as { name: string }[]).map(({ name }) => name);
const resultOf = async (chatId: string, callId: string) =>
  (await store.history(chatId))
    .flatMap(({ content }) => content)
    .find((part) => part.type === 'tool-result' && part.tool_call_id === callId);

test('a call that matches an ask rule waits for approval, then runs once', async () => {
  await ask('execute');
  provider.answer(answer([runs('a', 'make')]), answer([says('Made.')]));
  const chat = await create();
  const waiting = await arrives(chat.id, 'requires_action');
  expect(waiting.open_calls).toMatchObject([{ tool_call_id: 'a', kind: 'approval' }]);
  expect(waiting.action_deadline).toBeNull();
  expect(effects).toEqual([]);
  await replica.store.approvals.decide(chat, [{ tool_call_id: 'a', decision: 'allow' }]);
  await arrives(chat.id, 'waiting');
  expect(effects).toEqual(['execute make']);
  expect((await store.story(chat.id)).at(-1)).toBe('assistant: Made.');
});

test('a denied call does not run, and the model gets an error', async () => {
  await ask('execute(make*)');
  provider.answer(answer([runs('a', 'make'), runs('b', 'ls')]), answer([says('Then not.')]));
  const chat = await create();
  await arrives(chat.id, 'requires_action');
  expect(effects).toEqual(['execute ls']);
  await replica.store.approvals.decide(chat, [{ tool_call_id: 'a', decision: 'deny' }]);
  await arrives(chat.id, 'waiting');
  expect(effects).toEqual(['execute ls']);
  expect(await resultOf(chat.id, 'a')).toMatchObject({
    is_error: true,
    result: expect.stringContaining('denied'),
  });
});

test('a decision on one response does not apply to the next', async () => {
  await ask('execute');
  provider.answer(
    answer([runs('a', 'first')]),
    answer([runs('a', 'second')]),
    answer([says('Done.')]),
  );
  const chat = await create();
  await arrives(chat.id, 'requires_action');
  await replica.store.approvals.decide(chat, [{ tool_call_id: 'a', decision: 'allow' }]);
  await eventually(async () => {
    expect(effects).toEqual(['execute first']);
    expect((await store.read(chat.id)).status).toBe('requires_action');
  });
  const [open] = (await store.read(chat.id)).open_calls;
  await replica.store.approvals.decide(chat, [
    { tool_call_id: open?.tool_call_id ?? '', decision: 'allow' },
  ]);
  await arrives(chat.id, 'waiting');
  expect(effects).toEqual(['execute first', 'execute second']);
});

test.each(['chat', 'always'] as const)(
  'a remembered decision (%s) is applied without asking again',
  async (remember) => {
    await ask('execute');
    provider.answer(
      answer([runs('a', 'make')]),
      answer([runs('b', 'make')]),
      answer([says('Twice.')]),
    );
    const chat = await create();
    await arrives(chat.id, 'requires_action');
    await replica.store.approvals.decide(chat, [
      { tool_call_id: 'a', decision: 'allow', remember },
    ]);
    await arrives(chat.id, 'waiting');
    expect(effects).toEqual(['execute make', 'execute make']);
  },
);

test("an owner's rule cannot override a deny rule of the deployment", async () => {
  await changeSettings(store.database, { approvals: [{ pattern: 'execute', action: 'deny' }] });
  await changeApprovals(store.database, store.owner, [{ pattern: '*', action: 'allow' }]);
  provider.answer(answer([runs('a', 'make')]), answer([says('No.')]));
  const chat = await create();
  await arrives(chat.id, 'waiting');
  expect(effects).toEqual([]);
  expect(await resultOf(chat.id, 'a')).toMatchObject({ is_error: true });
});

test('an allowed call runs exactly once when its worker stops', async () => {
  await ask('execute');
  provider.answer(answer([runs('a', 'make')]), answer([says('Made.')]));
  const chat = await create();
  await arrives(chat.id, 'requires_action');
  await replica.stop();
  await store.approvals.decide(chat, [{ tool_call_id: 'a', decision: 'allow' }]);
  replica = await start();
  await arrives(chat.id, 'waiting');
  expect(effects).toEqual(['execute make']);
});

test('an allowed call that was running when its worker stopped is not rerun, and its result says so', async () => {
  await ask('hang');
  provider.answer(answer([runs('a', 'for ever', 'hang')]), answer([says('Who knows.')]));
  const chat = await create();
  await arrives(chat.id, 'requires_action');
  await replica.store.approvals.decide(chat, [{ tool_call_id: 'a', decision: 'allow' }]);
  await eventually(() => expect(effects).toEqual(['hang for ever']));
  await replica.stop();
  replica = await start();
  await arrives(chat.id, 'waiting');
  expect(effects).toEqual(['hang for ever']);
  expect(await resultOf(chat.id, 'a')).toMatchObject({
    is_error: true,
    result: expect.stringContaining('outcome of this call is unknown'),
  });
});

test('one response mixes server tools, client tools, an approval, and a question', async () => {
  await ask('execute(rm*)');
  provider.answer(
    answer([
      runs('free', 'ls'),
      runs('careful', 'rm x'),
      toolCall('locate', {}, { id: 'program' }),
      toolCall('ask_user_question', { question: 'Which?' }, { id: 'question' }),
    ]),
    answer([says('All there.')]),
  );
  const chat = await create({ dynamic_tools });
  const waiting = await arrives(chat.id, 'requires_action');
  // The call that waits for no input has run and is committed.
  expect(effects).toEqual(['execute ls']);
  expect(await store.story(chat.id)).toEqual([
    'user: Go on',
    'assistant: call(free) call(careful) call(program) call(question)',
    'tool: result(free)',
  ]);
  expect(waiting.open_calls.map(({ tool_call_id, kind }) => [tool_call_id, kind])).toEqual([
    ['careful', 'approval'],
    ['program', 'dynamic'],
    ['question', 'question'],
  ]);
  expect(waiting.action_deadline).not.toBeNull();
  const { approvals, client } = replica.store;
  await approvals.answer(chat.id, 'question', { selected: ['that one'], text: 'please' });
  await client.submitToolResults(chat.id, [{ tool_call_id: 'program', output: { at: 'home' } }]);
  await approvals.decide(chat, [{ tool_call_id: 'careful', decision: 'allow' }]);
  await arrives(chat.id, 'waiting');
  expect(effects).toEqual(['execute ls', 'execute rm x']);
  expect(await resultOf(chat.id, 'question')).toMatchObject({
    result: { selected: ['that one'], text: 'please' },
  });
  expect((await store.story(chat.id)).at(-1)).toBe('assistant: All there.');
});

test('in plan mode, only read-only tools run until the plan is accepted', async () => {
  provider.answer(
    answer([runs('look', 'around', 'read'), runs('touch', 'something')]),
    answer([toolCall('propose_plan', { plan: 'Touch it.' }, { id: 'plan' })]),
  );
  const chat = await create({ plan_mode: true, dynamic_tools });
  await arrives(chat.id, 'requires_action');
  expect(effects).toEqual(['read around']);
  expect(await resultOf(chat.id, 'touch')).toMatchObject({
    is_error: true,
    result: expect.stringContaining('plan mode'),
  });
  expect(offered().toSorted()).toEqual(['ask_user_question', 'propose_plan', 'read', 'todo_write']);
  provider.answer(answer([runs('touch-2', 'something')]), answer([says('Touched.')]));
  await replica.store.approvals.answer(chat.id, 'plan', { accepted: true });
  await arrives(chat.id, 'waiting');
  expect(effects).toEqual(['read around', 'execute something']);
  expect(offered()).toContain('locate');
  expect(offered()).not.toContain('propose_plan');
});

test("in plan mode, the client's tools are not called", async () => {
  provider.answer(answer([toolCall('locate', {}, { id: 'a' })]), answer([says('Not yet.')]));
  const chat = await create({ plan_mode: true, dynamic_tools });
  await arrives(chat.id, 'waiting');
  expect(await resultOf(chat.id, 'a')).toMatchObject({ is_error: true });
});

test('a todo list call returns its summary as the result', async () => {
  const todos = [
    { content: 'Look', status: 'completed' },
    { content: 'Do', status: 'in_progress' },
  ];
  provider.answer(answer([toolCall('todo_write', { todos }, { id: 'a' })]), answer([says('Yes.')]));
  const chat = await create();
  await arrives(chat.id, 'waiting');
  expect(await resultOf(chat.id, 'a')).toMatchObject({ result: '1 of 2 done. In progress: Do' });
});
