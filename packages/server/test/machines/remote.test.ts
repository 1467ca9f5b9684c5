import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { launch, startServerOn, startTestServer } from '@chatd/test-server';
import { execute as sql } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { startGitHost } from '@chatd/test-server/git';
import { startProxy } from '@chatd/test-server/programs';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { makeRepository } from '@chatd/test-server/workspaces';
import { answer, startFakeProvider, text, toolCall } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { MachineConnector, connectUrl } from '../../src/machine/program/machine-connector.ts';
import { TerminalClient } from '../workspaces/terminal-client.ts';

const directory = await makeTemporaryDirectory();
const repository = await makeRepository(join(directory, 'repository'), { 'a.txt': 'one\n' });
const fake = await startFakeProvider({ api: 'anthropic' });
const settings = {
  secretKey: 'a-secret-key-for-tests',
  workspaces: {
    enabled: true,
    localMachine: false,
    templatesDir: undefined,
    idleMs: 0,
    allowUnsandboxed: false,
  },
};
/** Holds the machine's connection. */
const holder = await startTestServer(settings);
/** Runs the chats. */
const runner = await startServerOn(holder.databaseUrl, { ...settings, concurrency: 4 });
const { admin } = holder;
const url = new URL(holder.url);
const proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
const { id: machineId, token } = await admin.ok('createMachine', {
  body: { name: 'far-away', labels: { zone: 'a' } },
});
const launchMachine = () =>
  launch(
    [
      'machine',
      '--url',
      `http://127.0.0.1:${proxy.port}`,
      '--data-dir',
      join(directory, 'machine'),
    ],
    { env: { CHATD_MACHINE_TOKEN: token, CHATD_MACHINE_LABELS: 'size=big' } },
  );
let machine = launchMachine();
afterAll(async () => {
  machine.child.kill('SIGTERM');
  const code = await machine.ended;
  await proxy.close();
  await fake.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  if (code !== 0) throw new Error(`the machine ended with ${code}: ${machine.output().stderr}`);
});
await machine.said('"msg":"connected"');
const owner = runner.as(
  (await holder.owner.ok('createToken', { body: { name: 'elsewhere' } })).token,
);

const provider = await admin.ok('createProvider', {
  body: { type: 'anthropic', name: 'fake', base_url: fake.url, api_key: 'sk-any-key-at-all' },
});
const { id: model_config_id } = await admin.ok('createModelConfig', {
  body: { provider_id: provider.id, model: 'claude-sonnet-4-5', context_limit: 200_000 },
});
const template = await admin.ok('createTemplate', {
  body: {
    name: 'far',
    driver: 'host',
    source: { git: { url: repository } },
    machine: { labels: { zone: 'a', size: 'big' } },
  },
});
const workspace = await owner.ok('createWorkspace', { body: { template_id: template.id } });
await eventually(async () => {
  const { status } = await owner.ok('getWorkspace', { params: { workspace_id: workspace.id } });
  if (status !== 'ready') throw new Error(`the workspace is ${status}`);
});

/** Runs one command in a new chat, and returns its result. */
async function execute(command: string, meanwhile?: () => Promise<void>): Promise<unknown> {
  const steps = [answer([toolCall('execute', { command, timeout: 60 })]), answer([text('Done.')])];
  fake.answerWith(({ body }) =>
    JSON.stringify(body).includes('"execute"')
      ? (steps.shift() ?? answer([text('no more')]))
      : answer([text('A title')]),
  );
  const { id } = await owner.ok('createChat', {
    body: { content: 'Run it.', model_config_id, workspace_id: workspace.id },
  });
  await meanwhile?.();
  const params = { chat_id: id };
  await eventually(async () =>
    expect(await owner.ok('getChat', { params })).toMatchObject({ status: 'waiting' }),
  );
  const { messages } = await owner.ok('listMessages', { params });
  return messages
    .flatMap(({ content }) => content)
    .flatMap((part) => (part.type === 'tool-result' ? [part.result] : []))[0];
}

const files = () => join(directory, 'machine', 'workspaces', workspace.id, 'files');
const readLines = async (name: string) =>
  (await readFile(join(files(), name), 'utf8')).trimEnd().split('\n');

async function counter(name: string): Promise<number> {
  const { text: metrics } = await runner.admin.send('GET', '/metrics');
  return Number(new RegExp(`^chatd_machine_${name}_total (\\d+)$`, 'm').exec(metrics)?.[1]);
}

test('a workspace is usable from a replica that does not hold the machine’s connection', async () => {
  expect(workspace).toMatchObject({ machine_id: machineId, machine_name: 'far-away' });
  expect(await execute('echo changed > a.txt; cat a.txt; pwd | wc -l')).toEqual({
    exit_code: 0,
    output: 'changed\n1\n',
  });
  expect(await execute('seq 400000 > big')).toMatchObject({ exit_code: 0 });
  const big = { params: { workspace_id: workspace.id }, query: { path: 'big' } };
  const { text: numbers } = await owner.call('getWorkspaceFile', big);
  expect(numbers.split('\n')).toEqual([
    ...Array.from({ length: 400_000 }, (_, index) => String(index + 1)),
    '',
  ]);
  await execute('rm big');
  const chat = await owner.ok('createChat', {
    body: { content: 'x', model_config_id, workspace_id: workspace.id },
  });
  const { repositories } = await owner.ok('getChatDiff', { params: { chat_id: chat.id } });
  expect(repositories[0]?.files).toMatchObject([{ path: 'a.txt', additions: 1, deletions: 1 }]);
  const terminal = await TerminalClient.open(owner, workspace.id, { cols: 80, rows: 24 });
  terminal.type('echo $((40 + 2))\n');
  await terminal.shows('42');
  terminal.end();
  expect(await admin.ok('getMachine', { params: { machine_id: machineId } })).toMatchObject({
    status: 'online',
    labels: { zone: 'a', size: 'big' },
    workspaces: 1,
  });
});

test('checkpoints are recorded, compared and restored on the machine', async () => {
  await execute('echo more >> a.txt; mkdir empty');
  const { chats } = await owner.ok('listChats', { query: { limit: '1' } });
  const params = { chat_id: chats[0]?.id ?? '' };
  const { checkpoints } = await owner.ok('listCheckpoints', { params });
  const [after, before] = checkpoints;
  expect(after).toMatchObject({ kind: 'step', files: 1, additions: 1, deletions: 0 });
  const { repositories } = await owner.ok('getCheckpointDiff', {
    params: { ...params, checkpoint_id: after?.id ?? '' },
  });
  expect(repositories[0]?.patch).toContain('+more');
  const restore = { params: { ...params, checkpoint_id: before?.id ?? '' }, body: {} };
  expect(await owner.ok('restoreCheckpoint', restore)).toMatchObject({ files: 1, deletions: 1 });
  expect(await readLines('a.txt')).not.toContain('more');
  await expect(readFile(join(files(), 'empty'))).rejects.toThrow('ENOENT');

  const { messages } = await owner.ok('listMessages', { params });
  const fork = await owner.ok('forkChat', {
    params,
    body: { message_id: messages.at(-1)?.id ?? 0, files: true },
  });
  const made = { workspace_id: fork.workspace_id ?? '' };
  await eventually(async () =>
    expect(await owner.ok('getWorkspace', { params: made })).toMatchObject({ status: 'ready' }),
  );
  const copy = join(files(), '..', '..', made.workspace_id, 'files');
  expect(await readFile(join(copy, 'a.txt'), 'utf8')).toBe(
    await readFile(join(files(), 'a.txt'), 'utf8'),
  );
  await owner.ok('deleteWorkspace', { params: made });
});

test('versioned file writes and port previews work across replicas', async () => {
  const params = { workspace_id: workspace.id };
  const write = (path: string, raw: string, if_version: string) => ({
    params,
    query: { path, if_version },
    raw,
    headers: { 'content-type': 'text/plain' },
  });
  const program = `import { createServer } from 'node:http';
createServer(async (request, response) => {
  let size = 0;
  for await (const chunk of request) size += chunk.length;
  response.end(Buffer.alloc(size, 'y'));
}).listen(8124, '127.0.0.1');`;
  const made = await owner.ok('writeWorkspaceFile', write('echo.mjs', 'first', 'none'));
  await owner.ok('writeWorkspaceFile', write('echo.mjs', program, made.version));
  expect(await owner.refusal('writeWorkspaceFile', write('echo.mjs', 'x', made.version))).toBe(
    '409 file_changed',
  );
  const terminal = await TerminalClient.open(owner, workspace.id, { cols: 80, rows: 24 });
  terminal.type('/run/chatd/node echo.mjs\n');
  await eventually(async () =>
    expect((await owner.ok('listPorts', { params })).ports).toMatchObject([{ port: 8124 }]),
  );
  // Exceeds the windows of the connections in both directions.
  const size = 12 * 1024 * 1024;
  const { url: shown } = await owner.ok('createPreview', { params: { ...params, port: 8124 } });
  const { host, port } = new URL(shown);
  const outgoing = request({ host: '127.0.0.1', port, method: 'POST', headers: { host } });
  outgoing.end(Buffer.alloc(size, 'x'));
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  expect(await textOf(incoming)).toBe('y'.repeat(size));
  terminal.type('\u0003');
  terminal.end();
});

test('a command continues while the connection is cut, and its output arrives complete and once', async () => {
  const counted =
    'for i in 1 2 3 4 5 6 7 8 9 10; do echo line $i; echo $i >> count; sleep 0.1; done';
  const result = await execute(counted, async () => {
    await eventually(async () => expect((await readLines('count')).length).toBeGreaterThan(2));
    proxy.refuse();
    proxy.terminate();
    await eventually(async () => expect((await readLines('count')).length).toBeGreaterThan(5));
    proxy.allow();
  });
  const lines = Array.from({ length: 10 }, (_, index) => index + 1);
  expect(result).toEqual({
    exit_code: 0,
    output: lines.map((line) => `line ${line}\n`).join(''),
  });
  expect(await readLines('count')).toEqual(lines.map(String));
  expect(await counter('recovered_calls')).toBe(1);
});

test('after kill -9 of the machine, the result of a finished command comes from the journal', async () => {
  const waits =
    'echo ran >> restarts; echo first; until [ -e go-on ]; do sleep 0.02; done; echo second; exit 5';
  const result = await execute(waits, async () => {
    await eventually(async () => expect(await readLines('restarts')).toEqual(['ran']));
    proxy.refuse();
    proxy.terminate();
    await writeFile(join(files(), 'go-on'), '');
    const log = join(directory, 'machine', 'workspaces', '.journal', 'log');
    await eventually(async () => expect(await readFile(log, 'utf8')).toContain('{"code":5,'));
    machine.child.kill('SIGKILL');
    await machine.ended;
    proxy.allow();
    machine = launchMachine();
  });
  expect(result).toEqual({ exit_code: 5, output: 'first\nsecond\n' });
  expect(await readLines('restarts')).toEqual(['ran']);
  expect([await counter('recovered_calls'), await counter('lost_calls')]).toEqual([2, 0]);
});

test('a machine token authorizes only the machine connection, and a wrong token is refused', async () => {
  expect((await holder.as(token).call('listChats')).status).toBe(401);
  const socket = new WebSocket(connectUrl(holder.url), {
    headers: { authorization: 'Bearer chatd_machine_wrong' },
  });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  socket.on('error', resolve);
  expect(String(await promise)).toContain('401');
  expect((await fetch(`${holder.url}/internal/machines/${machineId}`)).status).toBe(404);
});

test('a replica without the deployment’s key cannot use a machine of another replica', async () => {
  const socket = new WebSocket(
    `${holder.url.replace('http', 'ws')}/internal/machines/${machineId}`,
    {
      headers: { 'x-chatd-forwarding': `${Date.now()}.bm9uY2U.${'A'.repeat(43)}` },
    },
  );
  const { promise, resolve } = Promise.withResolvers<unknown>();
  socket.on('error', resolve);
  expect(String(await promise)).toContain('401');
});

interface ConnectOptions {
  readonly url: string;
  readonly boot: string;
  readonly own: string;
}

test('a machine with the previous protocol version connects; a second program with its token is refused until the first is gone', async () => {
  const { token: other, id } = await admin.ok('createMachine', { body: { name: 'older' } });
  const none = { sandbox: false, docker: false, desktop: false };
  const connect = (
    newest: number,
    { url = holder.url, boot = `boot-${randomUUID()}`, own = other }: Partial<ConnectOptions> = {},
  ) => {
    const lines: unknown[][] = [];
    const log = (...line: unknown[]) => void lines.push(line);
    const connector = new MachineConnector({
      url,
      token: own,
      machine: {
        capabilities: async () => none,
        calls: async () => [],
        settle: async () => undefined,
      } as never,
      hello: { version: '0.0.1', boot, labels: {} },
      log: { info: log, warn: log, error: log } as never,
      protocol: { oldest: newest, newest },
    });
    return { connector, lines, ended: connector.run().catch((error: unknown) => error) };
  };
  const status = async () => (await admin.ok('getMachine', { params: { machine_id: id } })).status;
  const first = connect(1, { boot: 'first' });
  await eventually(async () => expect(await status()).toBe('online'));
  await eventually(async () => expect(first.lines[0]?.[0]).toMatchObject({ protocol: 1 }));
  // The other replica reaches the first program through the replica that holds its connection.
  const second = connect(2, { url: runner.url });
  const refused = 'another program is connected with the token of this machine';
  await eventually(() => expect(JSON.stringify(second.lines)).toContain(refused));
  expect(first.lines).toHaveLength(1);
  // A program may replace its own connection.
  const again = connect(2, { boot: 'first' });
  expect(String(await first.ended)).toContain('Another program has connected');
  again.connector.close();
  await again.ended;
  await eventually(() => expect(second.lines.at(-1)?.[1]).toBe('connected'));

  const { token: rotated } = await admin.ok('rotateMachineToken', { params: { machine_id: id } });
  await eventually(() => expect(JSON.stringify(second.lines)).toContain('The token was replaced'));
  expect(await status()).toBe('offline');
  second.connector.close();
  await second.ended;
  const third = connect(2, { own: rotated });
  await eventually(async () => expect(await status()).toBe('online'));
  third.connector.close();
  await third.ended;
  const future = connect(3, { own: rotated });
  await eventually(() => expect(JSON.stringify(future.lines)).toContain('upgrade the server'));
  future.connector.close();
  await future.ended;
});

const find = async () => await admin.ok('getMachine', { params: { machine_id: machineId } });

test('a machine reconnects after its connection row is lost', async () => {
  await eventually(async () => expect(await find()).toMatchObject({ status: 'online' }));
  await sql(holder.databaseUrl, 'DELETE FROM machine_connections');
  expect(await find()).toMatchObject({ status: 'offline' });
  await eventually(async () => expect(await find()).toMatchObject({ status: 'online' }));
  expect(machine.output().stderr).not.toContain('Another program');
});

test('creating a workspace fails if no machine has the required labels', async () => {
  const wanted = await admin.ok('createTemplate', {
    body: { name: 'nowhere', driver: 'host', machine: { labels: { zone: 'b' } } },
  });
  const refused = await owner.refused('createWorkspace', { body: { template_id: wanted.id } });
  expect(refused).toMatchObject({ code: 'no_machine', status: 409 });
  expect(refused.detail).toContain('zone=b');
});

test('a workspace with the docker driver requires a machine with Docker', async () => {
  await sql(holder.databaseUrl, `UPDATE machines SET capabilities = '{"docker": false}'`);
  const body = { name: 'docked', driver: 'docker' as const, machine: { labels: { zone: 'a' } } };
  const { id: template_id } = await admin.ok('createTemplate', { body });
  const refused = await owner.refused('createWorkspace', { body: { template_id } });
  expect(refused).toMatchObject({ code: 'no_machine', status: 409 });
  expect(refused.detail).toContain('No machine with Docker and the labels zone=a is online');
  await sql(holder.databaseUrl, `UPDATE machines SET capabilities = '{"docker": true}'`);
  const placed = await owner.ok('createWorkspace', { body: { template_id } });
  expect(placed).toMatchObject({ machine_name: 'far-away' });
});

test('git in a workspace of the machine reaches a private repository through the server', async () => {
  const host = await startGitHost('token-for-far-away-0123456789');
  await host.repositories.create('acme/shop', { 'README.md': 'A shop.\n' });
  await owner.ok('createGitConnection', {
    body: { host: host.host, kind: 'other', token: host.token },
  });
  const { id: template_id } = await admin.ok('createTemplate', {
    body: {
      name: 'private',
      driver: 'host',
      source: { git: { url: `https://${host.host}/acme/shop` } },
      machine: { labels: { zone: 'a' } },
    },
  });
  const { id } = await owner.ok('createWorkspace', { body: { template_id } });
  await eventually(async () => {
    const { status, log } = await owner.ok('getWorkspace', { params: { workspace_id: id } });
    expect(status, log).toBe('ready');
  });
});
