import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { ApiClient, startTestServer } from '@chatd/test-server';
import { refusedUpgrade } from '../stream/clients.ts';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { marker, processesWith } from './sandboxes.ts';
import { readyWorkspace } from '@chatd/test-server/workspaces';
import { TerminalClient } from './terminal-client.ts';

const directory = await makeTemporaryDirectory();
const dataDir = join(directory, 'data');
await mkdir(dataDir);
afterAll(() => rm(directory, { recursive: true, force: true }));
const KEPT = 4096;
const server = await startTestServer(
  {
    dataDir,
    workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
  },
  {
    terminals: { scrollbackBytes: KEPT, perWorkspace: 3 },
    streams: { timing: { revokedMs: 50 } },
  },
);
const { owner, stranger, anonymous } = server;

const id = await readyWorkspace(owner);
const pathOf = (workspaceId: string) => `/workspaces/${workspaceId}/terminal`;
const listed = async (workspace_id = id) =>
  (await owner.ok('listTerminals', { params: { workspace_id } })).terminals;

const opened: TerminalClient[] = [];

async function open(query: Record<string, string | number> = {}, as = owner) {
  const terminal = await TerminalClient.open(as, id, query);
  opened.push(terminal);
  return terminal;
}

async function endAll(): Promise<void> {
  for (const terminal of opened.splice(0)) {
    terminal.say({ type: 'close' });
    terminal.end();
  }
  await eventually(async () => expect(await listed()).toEqual([]));
}

afterEach(endAll);

test('a user works in a terminal of a workspace', async () => {
  const terminal = await open({ cols: 100, rows: 30 });
  expect(terminal.ready).toMatchObject({ is_new: true, from: 0, resumed: false });
  terminal.type('echo made > by-hand; pwd; stty size; id -un\n');
  await terminal.shows(/\/workspace\r\n30 100\r\nagent\r\n/);
  const { entries } = await owner.ok('listWorkspaceFiles', { params: { workspace_id: id } });
  expect(entries).toMatchObject([{ name: 'by-hand' }]);
  terminal.say({ type: 'resize', cols: 51, rows: 11 });
  terminal.type('stty size\n');
  await terminal.shows('11 51');
  const time = marker();
  terminal.type(`sleep ${time}\n`);
  await eventually(() => expect(processesWith(`sleep\0${time}`)).toHaveLength(1));
  terminal.type('\u0003');
  terminal.type('echo "code=$?"\n');
  await terminal.shows('code=130');
  terminal.type('exit 7\n');
  expect(await terminal.closed()).toBe(1000);
  expect(terminal.notices.at(-1)).toEqual({ type: 'exit', code: 7, signal: null });
});

test('a reconnected client continues where it was, and processes keep running', async () => {
  const first = await open();
  const { terminal_id } = first.ready;
  first.type('echo one; read -r line; echo "got $line"; echo later\n');
  await first.shows('one\r\n');
  await first.cut();
  await eventually(async () => expect(await listed()).toMatchObject([{ viewers: 0 }]));
  const second = await TerminalClient.open(owner, id, { terminal_id, after: first.seen });
  expect(second.ready).toMatchObject({ terminal_id, is_new: false, resumed: true });
  second.type('word\n');
  await second.shows('got word\r\nlater');
  expect(second.text).not.toContain('one');
  // A new client gets the earlier output.
  const third = await TerminalClient.open(owner, id, { terminal_id });
  expect(third.ready).toMatchObject({ is_new: false, resumed: false, from: 0 });
  await third.shows(/one[^]*got word[^]*later/);
  expect(await listed()).toMatchObject([{ id: terminal_id, viewers: 2 }]);
  third.type('echo "both see $((1 + 1))"\n');
  await Promise.all([second, third].map((each) => each.shows('both see 2')));
  third.say({ type: 'close' });
  expect(await second.closed()).toBe(1000);
  await third.closed();
});

test('old output is dropped, and the client is notified', async () => {
  const terminal = await open();
  const { terminal_id } = terminal.ready;
  await terminal.shows('$');
  const { seen } = terminal;
  terminal.type('seq 1 5000; echo end\n');
  await terminal.shows(/5000\r\nend/);
  const late = await TerminalClient.open(owner, id, { terminal_id, after: seen });
  expect(late.ready.resumed).toBe(false);
  expect(late.ready.from).toBeGreaterThan(seen);
  await late.shows(/5000\r\nend/);
  expect(late.ready.replay).toBeLessThanOrEqual(2 * KEPT);
  expect(late.text).toMatch(/^\d+\r\n/);
  late.type('exit\n');
  await late.closed();
});

test('a workspace has several terminals, up to a limit', async () => {
  const all = [await open(), await open(), await open()];
  expect(new Set(all.map(({ ready }) => ready.terminal_id)).size).toBe(3);
  const refused = await refusedUpgrade(owner, pathOf(id));
  expect(refused).toMatchObject({ status: 429 });
  expect(refused.text).toContain('3 terminals');
});

test('a terminal that has ended is replaced by a new one', async () => {
  const terminal = await open({ terminal_id: '00000000-0000-7000-8000-00000000abcd', after: 5 });
  expect(terminal.ready).toMatchObject({ is_new: true, from: 0 });
});

test('invalid messages are ignored', async () => {
  const terminal = await open();
  for (const message of [
    '',
    '{',
    'null',
    '[]',
    { type: 'resize', cols: -1, rows: 1e9 },
    { x: 1 },
  ]) {
    terminal.say(message);
  }
  terminal.type('echo "still $((1 + 1))"\n');
  await terminal.shows('still 2');
});

test('a slow client eventually gets all output', async () => {
  const terminal = await open();
  await terminal.shows('$');
  const other = await open({ terminal_id: terminal.ready.terminal_id });
  terminal.pause();
  terminal.type('yes 0123456789 | head -c 12000000; echo the end\n');
  // The server pauses the program for all clients once its buffers for this one are full.
  let before = 0;
  await eventually(() => {
    const { seen } = other;
    const isPaused = seen > 1_000_000 && seen === before;
    before = seen;
    expect(isPaused).toBe(true);
  });
  expect(terminal.seen).toBeLessThan(1_000_000);
  terminal.resume();
  // The terminal adds a carriage return to every line feed.
  await eventually(() => expect(terminal.seen).toBeGreaterThan((12_000_000 / 11) * 12));
  await terminal.shows(/0123456789\r\n(\d*)the end/);
});

test('a revoked token ends the connection, not the terminal', async () => {
  const { id: token_id, token } = await owner.ok('createToken', { body: { name: 'short' } });
  const terminal = await open({}, server.as(token));
  const { terminal_id } = terminal.ready;
  await owner.ok('deleteToken', { params: { token_id } });
  expect(await terminal.closed()).toBe(1008);
  const again = await TerminalClient.open(owner, id, { terminal_id });
  expect(again.ready.is_new).toBe(false);
  again.type('exit\n');
  await again.closed();
});

test('an editor of a chat uses the terminals of its workspace, until they become a viewer', async () => {
  const { id: user_id } = await stranger.ok('getMe');
  const chat = await owner.ok('createChat', { body: { content: 'x', workspace_id: id } });
  const share = (role: 'viewer' | 'editor') =>
    owner.ok('replaceChatSharing', {
      params: { chat_id: chat.id },
      body: { grants: [{ user_id, role }] },
    });
  await share('editor');
  const terminal = await open({}, stranger);
  terminal.type('echo $((6 * 7))\n');
  await terminal.shows('42');
  const { terminal_id } = terminal.ready;
  await share('viewer');
  expect(await terminal.closed()).toBe(1008);
  // The terminal itself stays, for the owner.
  const own = await open({ terminal_id });
  expect(own.ready.is_new).toBe(false);
  const refused = await refusedUpgrade(stranger, pathOf(id));
  expect(JSON.parse(refused.text)).toMatchObject({ status: 403, code: 'role_required' });
  const params = { workspace_id: id };
  expect((await stranger.ok('listWorkspaceFiles', { params })).path).toBe('.');
  const write = {
    params,
    query: { path: 'x' },
    raw: 'x',
    headers: { 'content-type': 'text/plain' },
  };
  expect(await stranger.refusal('writeWorkspaceFile', write)).toBe('403 role_required');
  own.type('echo $((5 * 5))\n');
  await own.shows('25');
  await owner.ok('replaceChatSharing', { params: { chat_id: chat.id }, body: { grants: [] } });
  expect(await stranger.refusal('listWorkspaceFiles', { params })).toBe('404 not_found');
});

test('other users and requests without an upgrade are refused', async () => {
  const status = async (client: ApiClient, workspaceId = id, headers = {}) =>
    (await refusedUpgrade(client, pathOf(workspaceId), { headers })).status;
  expect(await status(stranger)).toBe(404);
  expect(await status(anonymous)).toBe(401);
  const { token } = await owner.ok('createToken', { body: { name: 'r', scopes: ['read'] } });
  expect(await status(server.as(token))).toBe(403);
  expect(await owner.refusal('openTerminal', { params: { workspace_id: id } })).toBe(
    '426 upgrade_required',
  );
  expect(await stranger.refusal('openTerminal', { params: { workspace_id: id } })).toBe(
    '404 not_found',
  );
  expect(await stranger.refusal('listTerminals', { params: { workspace_id: id } })).toBe(
    '404 not_found',
  );
  expect(await listed()).toEqual([]);
});

test('a page of another site cannot use the session cookie', async () => {
  const { username } = await owner.ok('getMe');
  const password = 'a-password-of-some-length';
  await owner.ok('changePassword', { body: { password } });
  const reply = await anonymous.call('signIn', {
    body: { username, password },
    headers: { origin: server.url },
  });
  const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? '';
  const browser = (origin: string) => new ApiClient(server.url, { cookie, origin });
  expect((await refusedUpgrade(browser('http://evil.example'), pathOf(id))).status).toBe(403);
  const terminal = await open({}, browser(server.url));
  expect(terminal.ready.is_new).toBe(true);
});

test('a terminal ends with its workspace', async () => {
  const other = await readyWorkspace(owner);
  const terminal = await TerminalClient.open(owner, other);
  const time = marker();
  terminal.type(`sleep ${time}\n`);
  await eventually(() => expect(processesWith(time)).not.toEqual([]));
  const params = { workspace_id: other };
  await owner.ok('stopWorkspace', { params });
  expect(await terminal.closed()).toBe(1000);
  expect(terminal.notices.at(-1)).toEqual({ type: 'exit', code: null, signal: 'SIGKILL' });
  await eventually(async () => expect(await listed(other)).toEqual([]));
  await eventually(() => expect(processesWith(time)).toEqual([]));
  const refused = await refusedUpgrade(owner, pathOf(other));
  expect(refused).toMatchObject({ status: 409 });
  expect(refused.text).toContain('workspace_not_ready');
});
