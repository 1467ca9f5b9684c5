import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '@chatd/loop';
import type { TemplateDefinition } from '@chatd/protocol';
import { everythingProgram } from '@chatd/test-server/mcp';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChatRow } from '../../src/chat/row.ts';
import type { Sandbox } from '../../src/machine/drivers/driver.ts';
import { HostDriver } from '../../src/machine/drivers/host/host-driver.ts';
import { ProtocolEras } from '../../src/mcp/protocol-eras.ts';
import { TIMING } from '../../src/mcp/mcp-connection.ts';
import { WorkspaceServers } from '../../src/mcp/sandbox/workspace-servers.ts';
import type { WorkspaceRow } from '../../src/store/workspaces.ts';

const WORKSPACE = '0190a0b0-0000-7000-8000-0000000000aa';
const chat = { id: 'chat', workspace_id: WORKSPACE } as ChatRow;
const { command, args } = everythingProgram;
const SERVER = { command, args: [...args] };
const call = { signal: new AbortController().signal, onProgress: () => undefined };

let driver: HostDriver;
let sandbox: Sandbox;
const spec = { id: WORKSPACE, env: {}, limits: {}, network: 'none' as const };

beforeAll(async () => {
  const directory = await makeTemporaryDirectory();
  driver = new HostDriver({ directory, hidden: [directory], allowUnsandboxed: false });
  await driver.create(spec);
  const [root = ''] = args[0]?.split('/node_modules/') ?? [];
  const modules = await realpath(join(root, 'node_modules'));
  sandbox = await driver.open(spec, { readOnly: [modules, dirname(process.execPath)] });
});
afterAll(() => sandbox.close());

function serversOf(definition: Partial<TemplateDefinition>, status = 'ready'): WorkspaceServers {
  const row = { id: WORKSPACE, status, definition: { driver: 'host', ...definition } };
  return new WorkspaceServers({
    workspaces: {
      find: () => Promise.resolve(row as WorkspaceRow),
      use: () => Promise.resolve(sandbox),
    },
    database: { query: () => Promise.reject(new Error('not needed')) } as never,
    fetch: () => Promise.reject(new Error('not needed')),
    eras: new ProtocolEras(systemClock),
    clock: systemClock,
    timing: TIMING,
    log: pino({ level: 'silent' }),
    version: '1',
    pins: undefined,
  });
}

const named = async (definition: Partial<TemplateDefinition>, status?: string) =>
  (await serversOf(definition, status).of(chat)).servers.map(({ server }) => server.name);

test('a server of the template runs in the sandbox, and ends with the connection', async () => {
  const servers = serversOf({ mcp_servers: { everything: SERVER } });
  const [found] = (await servers.of(chat)).servers;
  const { tools } = (await found?.connection.toolList()) ?? { tools: [] };
  expect(tools.map(({ name }) => name)).toContain('echo');
  expect(found?.server).toMatchObject({ name: 'everything', trusted: false });
  const result = await found?.connection.call('echo', { message: 'from the sandbox' }, call);
  expect(result?.content).toEqual([{ type: 'text', text: 'Echo: from the sandbox' }]);
  expect((await servers.of(chat)).servers[0]?.connection).toBe(found?.connection);
  expect(await processes()).toContain('server-everything');
  await servers.close();
  expect(await processes()).not.toContain('server-everything');
});

test('a program that is killed is restarted for the next call', async () => {
  const servers = serversOf({ mcp_servers: { everything: SERVER } });
  const [found] = (await servers.of(chat)).servers;
  await found?.connection.toolList();
  await output(['/bin/sh', '-c', 'pkill -KILL -f [s]erver-everything || true']);
  await expect
    .poll(() => found?.connection.call('echo', { message: 'again' }, call).catch(() => undefined))
    .toMatchObject({ content: [{ text: 'Echo: again' }] });
  await servers.close();
});

test('a program that exits immediately is reported with its last stderr output', async () => {
  const broken = { command: '/bin/sh', args: ['-c', 'echo no such database >&2; exit 3'] };
  const servers = serversOf({ mcp_servers: { broken } });
  const [found] = (await servers.of(chat)).servers;
  await expect(found?.connection.toolList()).rejects.toThrow(/no such database/);
  await servers.close();
});

test('the servers of a repository run only if an admin allows it for the template', async () => {
  const file = { mcpServers: { repo: SERVER, remote: { type: 'http', url: 'http://x' } } };
  await sandbox.files.write(`${sandbox.root}/.mcp.json`, Buffer.from(JSON.stringify(file)));
  expect(await named({})).toEqual([]);
  expect(await named({ repository_mcp_servers: true })).toEqual(['repo']);
  expect(await named({ repository_mcp_servers: true, mcp_servers: { own: SERVER } })).toEqual([
    'repo',
    'own',
  ]);
  expect(await named({ repository_mcp_servers: true }, 'stopped')).toEqual([]);
});

test.each([
  ['{', 'it is not a JSON object with mcpServers'],
  [{ mcpServers: { 'a b': SERVER } }, '"a b" is not a valid name of a server'],
  [{ mcpServers: { a: { command: 'x', args: 7 } } }, 'a: '],
])('an invalid .mcp.json is an error: %j', async (file, why) => {
  const text = typeof file === 'string' ? file : JSON.stringify(file);
  await sandbox.files.write(`${sandbox.root}/.mcp.json`, Buffer.from(text));
  const servers = serversOf({ repository_mcp_servers: true, mcp_servers: { own: SERVER } });
  const { failure, servers: found } = await servers.of(chat);
  expect(failure?.message).toContain(`The .mcp.json of the workspace is not valid: ${why}`);
  expect(found.map(({ server }) => server.name)).toEqual(['own']);
});

test('stdin of a process stays open until the caller ends it', async () => {
  let text = '';
  const running = await sandbox.run({
    argv: ['/bin/cat'],
    stdin: Buffer.from('a'),
    input: true,
    onOutput: (bytes) => void (text += Buffer.from(bytes).toString()),
  });
  void running.write(Buffer.from('b'));
  await expect.poll(() => text).toBe('ab');
  void running.write(Buffer.from('c'));
  running.endInput();
  expect(await running.exit).toEqual({ code: 0, signal: null });
  expect(text).toBe('abc');
});

async function output(argv: readonly [string, ...string[]]): Promise<string> {
  let text = '';
  const running = await sandbox.run({
    argv,
    onOutput: (bytes) => void (text += Buffer.from(bytes).toString()),
  });
  await running.exit;
  return text;
}

const processes = () => output(['/bin/sh', '-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "']);
