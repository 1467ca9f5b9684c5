import {
  answer,
  fault,
  gate,
  type Scripted,
  startFakeProvider,
  text as says,
  toolCall,
} from '@chatd/testing';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { ChatRow } from '../../src/chat/row.ts';
import type { NewChat } from '../../src/chat/new-chat.ts';
import { agentTool } from '../../src/tools/agent-tool.ts';
import { approvalToolbox } from '../../src/tools/approvals/approval-toolbox.ts';
import { agentsOfChat } from '../../src/store/queries/chats/family.ts';
import { changeSettings, loadSettings } from '../../src/store/settings.ts';
import { Subagents } from '../../src/subagents/subagents.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import { fixedToolbox } from '../../src/tools/toolbox.ts';
import {
  createTestDatabase,
  DEMO_MODEL,
  execute,
  TestStore,
  text,
} from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import {
  modelsAt,
  newBus,
  type Replica,
  type ReplicaOptions,
  startReplica,
} from '../worker/replica.ts';

const { url } = await createTestDatabase();
const store = await TestStore.open(url);
const provider = await startFakeProvider({ api: 'anthropic' });
const bus = newBus();
const replicas: (Replica & { subagents: Subagents })[] = [];
let effects: string[] = [];

const work = fixedToolbox(
  ['touch', 'look'].map((name) =>
    agentTool({
      name,
      input: z.strictObject({}),
      idempotent: true,
      readOnly: name === 'look',
      run() {
        effects.push(name);
        return 'done';
      },
    }),
  ),
);

afterEach(async () => {
  for (const replica of replicas.splice(0)) {
    await replica.stop();
    await replica.subagents.close();
  }
  effects = [];
  await execute(url, `TRUNCATE chats CASCADE; UPDATE settings SET value = '{}'`);
  const [rejected] = provider.rejected;
  if (rejected !== undefined) throw new Error(`refused: ${JSON.stringify(rejected)}`);
});

async function start(options: ReplicaOptions = {}): Promise<Replica> {
  const subagents = new Subagents({
    store,
    bus,
    settings: () => loadSettings(store.database),
  });
  await subagents.start();
  const replica = await startReplica({
    url,
    bus,
    models: modelsAt(provider.url),
    toolboxes: [work, approvalToolbox, subagents],
    ...options,
  });
  replicas.push({ ...replica, subagents });
  return replica;
}
// Changes that tools commit are published, as in a server.
store.listeners.add(({ command, id, owner_id, status, snapshot_version }) =>
  bus.publish('changes', { command, id, owner_id, status, snapshot_version }),
);

const create = async (over: Partial<NewChat> = {}): Promise<string> =>
  (await store.create({ id: uuidv7(), content: text('Go'), ...over })).id;

const arrives = (id: string, status: string) =>
  eventually(async () => {
    const chat = await store.read(id);
    expect(chat.status).toBe(status);
    return chat;
  });

const agents = (id: string): Promise<ChatRow[]> =>
  store.database.query(agentsOfChat, { parent_id: id });
const oneAgent = (id: string) =>
  eventually(async () => {
    const [agent] = await agents(id);
    expect(agent).toBeDefined();
    return agent!;
  });

const spawn = (prompt: string, args = {}, id = 'spawn') =>
  toolCall('spawn_agent', { prompt, ...args }, { id });
const wait = (args = {}, id = 'wait') => toolCall('wait_agent', args, { id });

type Line = Scripted | ((request: { body: unknown }) => Scripted);

/** Scripts the answers of each conversation, identified by its first message: parents and children run concurrently. */
function script(lines: Record<string, Line[]>): void {
  const left = new Map(Object.entries(lines).map(([name, all]) => [name, [...all]]));
  provider.answerWith((request) => {
    const { messages } = request.body as { messages: unknown[] };
    const began = JSON.stringify(messages[0]);
    const name = [...left.keys()].find((words) => began.includes(words)) ?? '';
    const line = left.get(name)?.shift();
    if (line === undefined) throw new Error(`nothing to say to ${began}`);
    return typeof line === 'function' ? line(request) : line;
  });
}

const promptTo = (words: string) =>
  provider.requests
    .map(
      ({ body }) => body as { messages: unknown[]; system?: unknown; tools?: { name: string }[] },
    )
    .findLast(({ messages }) => JSON.stringify(messages[0]).includes(words));

/** The agent id in the result that the parent got. */
const agentIn = (body: unknown) =>
  /agent_id[^0-9a-f]+([0-9a-f-]{36})/.exec(JSON.stringify(body))?.[1];

const resultOf = async (chatId: string, callId: string) =>
  (await store.history(chatId))
    .flatMap(({ content }) => content)
    .find((part) => part.type === 'tool-result' && part.tool_call_id === callId);

test('a subagent runs concurrently with its parent, and its last answer is the result of the wait', async () => {
  await start();
  script({
    Go: [answer([spawn('Count the files')]), answer([wait()]), answer([says('There are 3.')])],
    Count: [answer([toolCall('look', {}, { id: 'l' })]), answer([says('I count 3.')])],
  });
  const id = await create({ system_prompt: 'Be brief.' });
  await arrives(id, 'waiting');
  const [agent] = await agents(id);
  expect(agent).toMatchObject({
    owner_id: store.owner,
    parent_chat_id: id,
    root_chat_id: id,
    agent_type: 'general',
    model_config_id: DEMO_MODEL,
    system_prompt: 'Be brief.',
    title: 'Count the files',
  });
  expect(await resultOf(id, 'spawn')).toMatchObject({ result: { agent_id: agent?.id } });
  expect(await resultOf(id, 'wait')).toMatchObject({ result: 'I count 3.' });
  expect(JSON.stringify(promptTo('Count')?.system)).toContain('You are a subagent');
});

test('a subagent cannot have a model that is restricted to groups of other users', async () => {
  await start();
  await execute(
    store.url,
    `INSERT INTO model_configs (id, provider_id, model, display_name, context_limit, compaction_threshold, group_ids)
     SELECT gen_random_uuid(), provider_id, model, 'Secret', context_limit, compaction_threshold, '{}'
       FROM model_configs WHERE id = '${DEMO_MODEL}'`,
  );
  script({
    Go: [answer([spawn('Count', { model: 'Secret' })]), answer([says('OK.')])],
  });
  const id = await create();
  await arrives(id, 'waiting');
  const result = await resultOf(id, 'spawn');
  expect(result).toMatchObject({ is_error: true });
  expect(JSON.stringify(result)).toMatch(
    /Model Secret does not exist. Available models: (?!.*Secret)/,
  );
  expect(await agents(id)).toEqual([]);
});

test('an explore agent and its subagents have read-only tools', async () => {
  await start();
  script({
    Go: [answer([spawn('Find it', { type: 'explore' })]), answer([wait()]), answer([says('OK.')])],
    Find: [
      answer([toolCall('touch', {}, { id: 't' }), spawn('Deeper', {}, 's')]),
      answer([says('Here.')]),
    ],
  });
  const id = await create();
  await arrives(id, 'waiting');
  const agent = await oneAgent(id);
  expect(effects).toEqual([]);
  expect(await resultOf(agent.id, 't')).toMatchObject({ is_error: true });
  expect(await resultOf(agent.id, 's')).toMatchObject({ is_error: true });
  expect(promptTo('Find')?.tools?.map(({ name }) => name)).not.toContain('touch');
});

test('the failure of a subagent is an error result for its parent', async () => {
  await start();
  script({
    Go: [answer([spawn('Fail')]), answer([wait()]), answer([says('It failed.')])],
    Fail: [fault.badKey()],
  });
  const id = await create();
  await arrives(id, 'waiting');
  const agent = await oneAgent(id);
  expect(agent.status).toBe('error');
  expect(await resultOf(id, 'wait')).toMatchObject({
    is_error: true,
    result: expect.stringContaining(agent.last_error?.message ?? '-'),
  });
});

test('with capacity for one chat, a waiting parent frees it for its subagent', async () => {
  await changeSettings(store.database, { max_running_chats: 1 });
  await start();
  script({
    Go: [answer([spawn('Child')]), answer([wait()]), answer([says('Done.')])],
    Child: [answer([spawn('Grandchild')]), answer([wait()]), answer([says('Both done.')])],
    Grandchild: [answer([says('Deep.')])],
  });
  const id = await create();
  await arrives(id, 'waiting');
  expect(await resultOf(id, 'wait')).toMatchObject({ result: 'Both done.' });
});

test('a process with capacity for one chat does not deadlock', async () => {
  await start({ concurrency: 1 });
  script({
    Go: [answer([spawn('Child')]), answer([wait()]), answer([says('Done.')])],
    Child: [answer([says('Hello.')])],
  });
  const id = await create();
  await arrives(id, 'waiting');
  expect(await resultOf(id, 'wait')).toMatchObject({ result: 'Hello.' });
});

test('interrupting a parent interrupts all its descendants', async () => {
  await start();
  const pause = gate();
  script({
    Go: [answer([spawn('Child')]), answer([wait()])],
    Child: [answer([spawn('Grandchild')]), answer([wait()])],
    Grandchild: [answer([says(['Once ', pause, 'upon'])])],
  });
  const id = await create();
  await pause.reached;
  // The grandchild may be faster than its ancestors, which may not be waiting yet.
  await eventually(async () => expect(await store.story(id)).toHaveLength(4));
  await replicas[0]!.store.client.interrupt(id);
  await arrives(id, 'waiting');
  const child = await oneAgent(id);
  await arrives(child.id, 'waiting');
  const grandchild = await oneAgent(child.id);
  await arrives(grandchild.id, 'waiting');
  expect(await resultOf(id, 'wait')).toMatchObject({ is_error: true });
});

test('a subagent that waits for a user is stopped with its parent', async () => {
  await changeSettings(store.database, { approvals: [{ pattern: 'touch', action: 'ask' }] });
  await start();
  script({
    Go: [answer([spawn('Child')]), answer([wait()])],
    Child: [answer([toolCall('touch', {}, { id: 't' })])],
  });
  const id = await create();
  const child = await oneAgent(id);
  await arrives(child.id, 'requires_action');
  await replicas[0]!.store.client.interrupt(id);
  await arrives(child.id, 'waiting');
  await arrives(id, 'waiting');
  expect(effects).toEqual([]);
});

test('editing a message during a turn stops its subagents', async () => {
  await start();
  const pause = gate();
  script({
    Go: [answer([spawn('Child')]), answer([wait()])],
    Child: [answer([says(['Once ', pause, 'upon'])])],
    Rather: [answer([says('Nothing, then.')])],
  });
  const id = await create();
  await pause.reached;
  const [first] = await store.history(id);
  await replicas[0]?.store.client.editMessage(id, first?.id ?? 0, {
    content: text('Rather not'),
    model_config_id: null,
    reasoning_effort: null,
    created_by: store.owner,
  });
  const child = await oneAgent(id);
  await arrives(child.id, 'waiting');
  await arrives(id, 'waiting');
  expect(await store.story(id)).toEqual(['user: Rather not', 'assistant: Nothing, then.']);
});

test('the result of a wait reports failed subagents along with the others', async () => {
  await start();
  script({
    Go: [
      answer([spawn('Works', {}, 's1'), spawn('Breaks', {}, 's2')]),
      answer([wait()]),
      answer([says('One of two.')]),
    ],
    Works: [answer([says('Here it is.')])],
    Breaks: [fault.badKey()],
  });
  const id = await create();
  await arrives(id, 'waiting');
  const part = await resultOf(id, 'wait');
  expect(part).not.toHaveProperty('is_error');
  expect(JSON.stringify(part)).toMatch(/Here it is\./);
  expect(JSON.stringify(part)).toMatch(/failed/);
});

test('the depth and number of subagents are limited', async () => {
  await changeSettings(store.database, { subagent_depth: 1, subagents_per_chat: 1 });
  await start();
  const pause = gate();
  script({
    Go: [
      answer([spawn('First', {}, 's1')]),
      answer([spawn('Second', {}, 's2')]),
      answer([says('One, then.')]),
    ],
    First: [answer([says(['I ', pause, 'am here.'])])],
  });
  const id = await create();
  await arrives(id, 'waiting');
  expect(await agents(id)).toHaveLength(1);
  expect(await resultOf(id, 's2')).toMatchObject({
    is_error: true,
    result: expect.stringContaining('agents are running, which is the limit'),
  });
  await pause.reached;
  expect(promptTo('First')?.tools?.map(({ name }) => name)).not.toContain('spawn_agent');
  pause.release();
});

test('a message resumes a finished subagent', async () => {
  await start();
  script({
    Go: [
      answer([spawn('Child')]),
      answer([wait({}, 'w1')]),
      ({ body }) =>
        answer([
          toolCall('message_agent', { agent_id: agentIn(body), message: 'More?' }, { id: 'm' }),
        ]),
      answer([wait({}, 'w2')]),
      answer([says('Thanks.')]),
    ],
    Child: [answer([says('A.')]), answer([says('B.')])],
  });
  const id = await create();
  await arrives(id, 'waiting');
  const [agent] = await agents(id);
  expect(await resultOf(id, 'w1')).toMatchObject({ result: 'A.' });
  expect(await resultOf(id, 'w2')).toMatchObject({ result: 'B.' });
  expect(await store.story(agent?.id ?? '')).toEqual([
    'user: Child',
    'assistant: A.',
    'user: More?',
    'assistant: B.',
  ]);
});

test("other users' agents and ancestors cannot be reached", async () => {
  await start();
  const other = await store.create({ content: text('Other') });
  script({
    Go: [
      answer([toolCall('interrupt_agent', { agent_id: other.id }, { id: 'i' })]),
      answer([toolCall('message_agent', { agent_id: 'nobody', message: 'x' }, { id: 'm' })]),
      answer([says('No.')]),
    ],
    Other: [answer([says('Hi.')])],
  });
  const id = await create();
  await arrives(id, 'waiting');
  for (const call of ['i', 'm']) {
    expect(await resultOf(id, call)).toMatchObject({
      is_error: true,
      result: expect.stringContaining('You have no agent'),
    });
  }
});

test('a wait that times out reports the state of the subagents', async () => {
  await start();
  const pause = gate();
  script({
    Go: [answer([spawn('Slow')]), answer([wait({ timeout: 0.001 })]), answer([says('Later.')])],
    Slow: [answer([says(['I ', pause, 'am slow.'])])],
  });
  const id = await create();
  await arrives(id, 'waiting');
  expect(await resultOf(id, 'wait')).toMatchObject({
    result: expect.stringContaining('is running'),
  });
  pause.release();
});

test('a parent resumes its wait in another process, and starts nothing twice', async () => {
  const first = await start();
  const pause = gate();
  script({
    Go: [answer([spawn('Child')]), answer([wait()]), answer([says('Done.')])],
    Child: [answer([says(['Here ', pause, 'I am.'])]), answer([says('Here I am.')])],
  });
  const id = await create();
  await pause.reached;
  await eventually(async () => expect(await store.story(id)).toHaveLength(4));
  await first.stop();
  await start();
  await arrives(id, 'waiting');
  expect(await agents(id)).toHaveLength(1);
  expect(await resultOf(id, 'wait')).toMatchObject({ result: 'Here I am.' });
});

test('a repeated call finds its subagent and sends no second message', async () => {
  const chat = await store.create();
  await store.take(chat.id);
  const agent = {
    call: 'a/1/x',
    type: 'general' as const,
    prompt: 'Child',
    model_config_id: null,
    reasoning_effort: null,
  };
  const spawned = await Promise.all(
    Array.from({ length: 4 }, () => store.agents.spawn(chat.id, agent, 8)),
  );
  expect(new Set(spawned.map(({ id }) => id)).size).toBe(1);
  const child = spawned[0]!.id;
  for (let n = 0; n < 2; n += 1) {
    await store.agents.message(child, 'a/1/m', store.message('Once', 'steer'));
  }
  expect(await store.queue(child)).toHaveLength(1);
});

test('an interrupted turn starts no subagents', async () => {
  const chat = await store.create();
  await store.take(chat.id);
  await store.client.interrupt(chat.id);
  await expect(
    store.agents.spawn(
      chat.id,
      {
        call: 'b/1/x',
        type: 'general',
        prompt: 'x',
        model_config_id: null,
        reasoning_effort: null,
      },
      8,
    ),
  ).rejects.toMatchObject({ code: 'not_running' });
});
