import { rm } from 'node:fs/promises';
import { ADMIN_TOKEN, launch } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { everythingProgram } from '@chatd/test-server/mcp';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { type Client, createClient } from '@chatd/client';
import { answer, type FakeProvider, gate, startFakeProvider, text, toolCall } from '@chatd/testing';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Editor, firstOption } from './support/editor.ts';
import { startServer } from './support/server.ts';

vi.setConfig({ testTimeout: 120_000 });

const server = await startServer();
const { client, env } = server;

/** A model with scripted answers. The demo model generates its titles, so that they do not use up an answer. */
async function scriptedModel(client: Client): Promise<{ model: string; fake: FakeProvider }> {
  const fake = await startFakeProvider({ api: 'openai-compatible' });
  const { model_configs } = await client.models.list();
  const { id } = await client.providers.create({
    type: 'openai-compatible',
    name: 'fake',
    base_url: fake.url,
  });
  const config = await client.models.create({
    provider_id: id,
    model: 'fake',
    display_name: 'Fake',
    context_limit: 100_000,
    title_model_config_id: model_configs[0]!.id,
    is_default: true,
  });
  return { model: config.id, fake };
}
const { fake, model } = await scriptedModel(client);
afterAll(() => fake.close());

async function open(options: Parameters<typeof Editor.open>[0]): Promise<Editor> {
  const editor = await Editor.open(options);
  onTestFinished(() => editor.close());
  return editor;
}
const editor = await Editor.open({ env });
afterAll(() => editor.close());

async function chatOf(sessionId: string) {
  const { chats } = await client.chats.list({ label: `acp-session:${sessionId}` });
  return chats[0]!;
}

describe('a session', () => {
  test('is an ordinary chat: prompts stream, and other clients continue it', async () => {
    expect(editor.initialized).toMatchObject({
      protocolVersion: 1,
      agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, resume: {} } },
    });
    const cwd = '/home/someone/project';
    const created = await editor.agent.request('session/new', { cwd, mcpServers: [] });
    const { sessionId } = created;
    expect(created.modes?.availableModes.map(({ id }) => id)).toEqual(['default', 'plan']);
    expect(created.configOptions).toMatchObject([
      { id: 'mode', currentValue: 'default' },
      { id: 'model', currentValue: model },
      { id: 'effort', currentValue: 'default' },
    ]);
    const pause = gate();
    fake.answer(answer([text(['Hello ', pause, 'from the model.'])]));
    const prompted = editor.prompt(sessionId, 'hi');
    await editor.until(() => editor.text(sessionId) === 'Hello ');
    pause.release();
    expect(await prompted).toBe('end_turn');
    expect(editor.text(sessionId)).toBe('Hello from the model.');
    expect(editor.text(sessionId, 'user')).toBe('');
    const commands = editor.updates(sessionId, 'available_commands_update')[0]?.availableCommands;
    expect(commands?.map(({ name }) => name)).toEqual(['compact', 'cost', 'diff', 'title']);

    const { id, dynamic_tools } = await chatOf(sessionId);
    expect(dynamic_tools).toEqual([]);
    fake.answer(answer([text(' And from another client.')]));
    await client.chats.turn(id, 'go on').result();
    await editor.until(() => editor.text(sessionId).endsWith('client.'));
    expect(editor.text(sessionId, 'user')).toBe('go on');

    expect(await editor.prompt(sessionId, '/title Greetings')).toBe('end_turn');
    await editor.until(() =>
      editor.updates(sessionId, 'session_info_update').some(({ title }) => title === 'Greetings'),
    );
    fake.answer(answer([text('Third.')]));
    expect(await editor.prompt(sessionId, 'and now?')).toBe('end_turn');
    const { messages } = await client.chats.messages(id);
    expect(messages.map(({ role }) => role)).toEqual(
      Array.from({ length: 3 }, () => ['user', 'assistant']).flat(),
    );
    // Only the protocol is on stdout.
    for (const line of editor.output.stdout.trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    }
  });

  test('is listed and loaded with its history, even if another client created it', async () => {
    const native = await client.chats.create({ content: 'hello', title: 'Native' });
    fake.answer(answer([toolCall('todo_write', TODOS)]), answer([text('Planned.')]));
    await vi.waitUntil(
      async () => (await client.chats.get(native.id)).status === 'waiting',
      30_000,
    );
    const { sessions } = await editor.agent.request('session/list', {});
    expect(sessions).toContainEqual(
      expect.objectContaining({ sessionId: native.id, title: 'Native' }),
    );
    const place = { cwd: '/home/someone/project', mcpServers: [] };
    await editor.agent.request('session/load', { sessionId: native.id, ...place });
    expect(editor.text(native.id, 'user')).toBe('hello');
    expect(editor.text(native.id)).toBe('Planned.');
    expect(editor.updates(native.id, 'plan')).toHaveLength(1);

    fake.answer(answer([text(' Once more.')]));
    await editor.prompt(native.id, 'again');
    expect(editor.text(native.id)).toBe('Planned. Once more.');
    const other = await open({ env });
    await other.agent.request('session/resume', { sessionId: native.id, ...place });
    expect(other.text(native.id)).toBe('');
    const missing = other.agent.request('session/load', { sessionId: 'nothing', ...place });
    await expect(missing).rejects.toMatchObject({ code: -32_002 });
    await other.agent.request('session/delete', { sessionId: native.id });
    await expect(client.chats.get(native.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('switches to plan mode, and leaves it when the user accepts a plan', async () => {
    const sessionId = await editor.newSession();
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'plan' });
    fake.answer(
      answer([toolCall('propose_plan', { plan: '1. Look\n2. Leap' })]),
      answer([text('Off we go.')]),
    );
    expect(await editor.prompt(sessionId, 'make a plan')).toBe('end_turn');
    expect(editor.asked(sessionId)[0]).toMatchObject({
      toolCall: { kind: 'switch_mode', content: [{ content: { text: '1. Look\n2. Leap' } }] },
    });
    await editor.until(() => editor.updates(sessionId, 'current_mode_update').length === 1);
    expect((await chatOf(sessionId)).plan_mode).toBe(false);
    const configId = 'effort';
    await editor.agent.request('session/set_config_option', { sessionId, configId, value: 'low' });
    expect((await chatOf(sessionId)).reasoning_effort).toBe('low');
  });

  test('reports a failed turn as an error', async () => {
    const sessionId = await editor.newSession();
    const { model_configs } = await client.models.list();
    const value = model_configs.find(({ id }) => id !== model)!.id;
    await editor.agent.request('session/set_config_option', {
      sessionId,
      configId: 'model',
      value,
    });
    await expect(editor.prompt(sessionId, 'fail for good')).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining('demo model') as string,
    });
    expect(await editor.prompt(sessionId, 'hello')).toBe('end_turn');
  });
});

const TODOS = { todos: [{ content: 'Look around', status: 'in_progress' }] };

const ask = (args: object) => answer([toolCall('ask_user_question', args as never)]);

describe('the user', () => {
  test('decides about calls that require approval, and sees the plan', async () => {
    const approvals = [{ pattern: 'todo_write', action: 'ask' as const }];
    await client.me.updateApprovals({ approvals });
    onTestFinished(async () => void (await client.me.updateApprovals({ approvals: [] })));
    const sessionId = await editor.newSession();
    fake.answer(answer([toolCall('todo_write', TODOS)]), answer([text('Done.')]));
    expect(await editor.prompt(sessionId, 'plan it')).toBe('end_turn');
    expect(editor.asked(sessionId)[0]?.options.map(({ kind }) => kind)).toEqual([
      'allow_once',
      'allow_always',
      'allow_always',
      'reject_once',
      'reject_always',
    ]);
    expect(editor.updates(sessionId, 'plan')[0]?.entries).toEqual([
      { content: 'Look around', priority: 'medium', status: 'in_progress' },
    ]);

    // Another client answers first: the question is withdrawn.
    const withdrawn = Promise.withResolvers<void>();
    editor.decide = (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          withdrawn.resolve();
          resolve(undefined);
        });
      });
    onTestFinished(() => void (editor.decide = firstOption));
    const { id } = await chatOf(sessionId);
    fake.answer(
      answer([toolCall('todo_write', TODOS, { id: 'toolu_second' })]),
      answer([text('Denied.')]),
    );
    const prompted = editor.prompt(sessionId, 'again');
    await editor.until(() => editor.asked(sessionId).length === 2);
    await client.chats.decideApprovals(id, {
      decisions: [{ tool_call_id: 'toolu_second', decision: 'deny' }],
    });
    await withdrawn.promise;
    expect(await prompted).toBe('end_turn');
    expect(editor.text(sessionId)).toBe('Done.Denied.');
  });

  test('answers questions: by option, in a form, or with the next prompt', async () => {
    const options = [{ label: 'Red' }, { label: 'Green' }];
    const lastResult = () => JSON.stringify(fake.requests.at(-1)?.body['messages']);

    const sessionId = await editor.newSession();
    onTestFinished(() => void (editor.decide = firstOption));
    editor.decide = ({ options }) => options.find(({ name }) => name === 'Green')?.optionId;
    fake.answer(ask({ question: 'Which color?', options }), answer([text('Nice.')]));
    expect(await editor.prompt(sessionId, 'paint')).toBe('end_turn');
    expect(lastResult()).toContain('Green');
    fake.answer(ask({ question: 'Which name?' }));
    expect(await editor.prompt(sessionId, 'name it')).toBe('end_turn');
    fake.answer(answer([text('Good name.')]));
    expect(await editor.prompt(sessionId, 'Waldo')).toBe('end_turn');
    expect(lastResult()).toContain('Waldo');
    expect(editor.text(sessionId)).toContain('Good name.');

    const withForms = await open({ env, capabilities: { elicitation: { form: {} } } });
    const other = await withForms.newSession();
    withForms.answer = () => ({ action: 'accept', content: { choice: ['Red'], text: 'Dark' } });
    const question = { question: 'Which colors?', options, multiple: true };
    fake.answer(ask(question), answer([text('Mixed.')]));
    expect(await withForms.prompt(other, 'mix')).toBe('end_turn');
    expect(lastResult()).toContain('Dark');
  });

  test('cancels an answer, and a call that waits for approval', async () => {
    const sessionId = await editor.newSession();
    const pause = gate();
    fake.answer(answer([text(['Once upon', pause, ' a time'])]));
    const prompted = editor.prompt(sessionId, 'tell me a story');
    await editor.until(() => editor.text(sessionId) === 'Once upon');
    await editor.agent.notify('session/cancel', { sessionId });
    expect(await prompted).toBe('cancelled');
    pause.release();
    expect(await chatOf(sessionId)).toMatchObject({ status: 'waiting', interrupted: true });

    const approvals = [{ pattern: 'todo_write', action: 'ask' as const }];
    await client.me.updateApprovals({ approvals });
    onTestFinished(async () => void (await client.me.updateApprovals({ approvals: [] })));
    onTestFinished(() => void (editor.decide = firstOption));
    editor.decide = (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    fake.answer(answer([toolCall('todo_write', TODOS)]));
    fake.answerWith(() => answer([text(['late', gate()])]));
    const second = editor.prompt(sessionId, 'plan it');
    await editor.until(() => editor.asked(sessionId).length === 1);
    await editor.agent.notify('session/cancel', { sessionId });
    expect(await second).toBe('cancelled');
    expect((await chatOf(sessionId)).status).toBe('waiting');
  });
});

test('the agent edits files in the editor, with a diff, and runs commands in its terminal', async () => {
  const capabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
  const editor = await open({ env, capabilities });
  const sessionId = await editor.newSession();
  const path = '/home/someone/project/notes.txt';
  editor.files.set(path, 'one\ntwo\n');
  fake.answer(
    answer([toolCall('editor_read_file', { path: 'notes.txt' })]),
    answer([toolCall('editor_edit_file', { path, old_text: 'two', new_text: 'three' })]),
    answer([toolCall('editor_run_command', { command: 'npm test' })]),
    answer([toolCall('editor_write_file', { path: '../secrets', content: 'x' })]),
    answer([text('Finished.')]),
  );
  expect(await editor.prompt(sessionId, 'edit it')).toBe('end_turn');
  expect(editor.files).toEqual(new Map([[path, 'one\nthree\n']]));
  expect(editor.commands).toEqual(['-c npm test']);
  const updates = editor.updates(sessionId, 'tool_call_update');
  const content = updates.flatMap(({ content }) => content ?? []);
  expect(content).toContainEqual({
    type: 'diff',
    path,
    oldText: 'one\ntwo\n',
    newText: 'one\nthree\n',
  });
  expect(content).toContainEqual({ type: 'terminal', terminalId: 'terminal-1' });
  const ends = updates.flatMap(({ status }) =>
    status === 'completed' || status === 'failed' ? [status] : [],
  );
  expect(ends).toEqual(['completed', 'completed', 'completed', 'failed']);
  expect(JSON.stringify(fake.requests.at(-1)?.body['messages'])).toContain('all green');
  expect(editor.asked(sessionId)).toHaveLength(2);

  // Closing a session removes its tools.
  const { id } = await chatOf(sessionId);
  await editor.agent.request('session/close', { sessionId });
  expect((await client.chats.get(id)).dynamic_tools).toEqual([]);
});

test('the agent uses the MCP servers of the editor', async () => {
  const editor = await open({ env });
  expect(editor.initialized.agentCapabilities?.mcpCapabilities).toMatchObject({ http: true });
  const { sessionId } = await editor.agent.request('session/new', {
    cwd: '/',
    mcpServers: [
      { name: 'my things', ...everythingProgram, env: [] },
      { name: 'broken', command: '/nonexistent', args: [], env: [] },
      {
        type: 'http',
        name: 'chatd',
        url: `${client.url}/mcp`,
        headers: [{ name: 'authorization', value: `Bearer ${env.CHATD_TOKEN}` }],
      },
    ],
  });
  expect(editor.output.stderr.match(/server \S+ of the editor is left out/g)).toEqual([
    'server broken of the editor is left out',
  ]);
  fake.answer(
    answer([toolCall('my_things_echo', { message: 'over stdio' })]),
    answer([toolCall('chatd_list_chats', { limit: 1 })]),
    answer([text('Finished.')]),
  );
  expect(await editor.prompt(sessionId, 'use them')).toBe('end_turn');
  const sent = JSON.stringify(fake.requests.at(-1)?.body['messages']);
  expect(sent).toContain('Echo: over stdio');
  const { id } = await chatOf(sessionId);
  expect(sent).toContain(id);
  expect(editor.asked(sessionId)).toHaveLength(2);
  await editor.agent.request('session/close', { sessionId });
  expect((await client.chats.get(id)).dynamic_tools).toEqual([]);
});

test('a wrong token is a protocol error that says what to do', async () => {
  const editor = await open({ env: { ...env, CHATD_TOKEN: 'wrong-token-0123456789' } });
  const message = expect.stringContaining('chatd login') as string;
  await expect(editor.newSession()).rejects.toMatchObject({ code: -32_000, message });
});

test('an answer continues after kill -9 of the server, without lost or repeated text', async () => {
  const { url: databaseUrl } = await createTestDatabase();
  const dataDir = await makeTemporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const serve = async (listen: string) => {
    const options = ['--data-dir', dataDir, '--lease-seconds', '2', '--listen', listen];
    const { child, ready, ended, output } = launch(['serve', ...options], {
      env: { CHATD_DATABASE_URL: databaseUrl, CHATD_ALLOW_PRIVATE_URLS: '1' },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const line = await Promise.race([ready, ended.then(() => output().stderr)]);
    const [, url] = /^chatd is ready at (\S+) /.exec(line) ?? [];
    if (url === undefined) throw new Error(line);
    return { child, url };
  };
  const first = await serve('127.0.0.1:0');
  const admin = createClient({ url: first.url, token: ADMIN_TOKEN });
  const { fake } = await scriptedModel(admin);
  onTestFinished(() => fake.close());
  const editor = await open({ env: { CHATD_URL: first.url, CHATD_TOKEN: ADMIN_TOKEN } });
  const sessionId = await editor.newSession();
  fake.answer(answer([text(['Half of ', gate()])]), answer([text('All of it.')]));
  const prompted = editor.prompt(sessionId, 'go');
  await editor.until(() => editor.text(sessionId) === 'Half of ');
  first.child.kill('SIGKILL');
  await serve(new URL(first.url).host);
  expect(await prompted).toBe('end_turn');
  // The editor cannot take back the text of the lost attempt, so the answer is a separate message.
  const chunks = editor.updates(sessionId, 'agent_message_chunk');
  const ids = [...new Set(chunks.map(({ messageId }) => messageId))];
  const texts = ids.map((id) =>
    chunks
      .map(({ messageId, content }) => (messageId === id ? (content as { text: string }).text : ''))
      .join(''),
  );
  expect(texts).toEqual(['Half of ', 'All of it.']);
  fake.answer(answer([text('More.')]));
  expect(await editor.prompt(sessionId, 'and?')).toBe('end_turn');
});
