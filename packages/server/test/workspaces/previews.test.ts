import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { readyWorkspace } from '@chatd/test-server/workspaces';
import { WebSocket } from 'ws';
import { TerminalClient } from './terminal-client.ts';

const directory = await makeTemporaryDirectory();
const dataDir = join(directory, 'data');
await mkdir(dataDir);
afterAll(() => rm(directory, { recursive: true, force: true }));
const server = await startTestServer({
  dataDir,
  secretKey: 'a-key-for-tests-0123456789',
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
});
const { admin, owner } = server;

const params = { workspace_id: await readyWorkspace(owner) };

/** Returns the request it got, redirects, streams, accepts uploads, and echoes over a WebSocket. */
const PROGRAM = `
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
const server = createServer(async (request, response) => {
  if (request.url === '/old') {
    response.writeHead(302, { location: 'http://localhost:8123/new', 'x-frame-options': 'DENY',
      'set-cookie': ['a=1; Path=/; Domain=localhost', 'b=2; HttpOnly; domain =localhost'] });
    return response.end();
  }
  if (request.url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\\n\\n');
    return;
  }
  if (request.url === '/big') return response.end(Buffer.alloc(24 * 1024 * 1024, 'x'));
  if (request.url === '/hang') return request.socket.destroy();
  if (request.url.startsWith('/raw?')) return request.socket.end(decodeURIComponent(request.url.slice(5)));
  let size = 0;
  for await (const chunk of request) size += chunk.length;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, size }));
});
server.on('upgrade', (request, socket) => {
  const accept = createHash('sha1')
    .update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n' +
    'Sec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  socket.once('data', (frame) => {
    const length = frame[1] & 127, mask = frame.subarray(2, 6);
    const text = Buffer.from(frame.subarray(6, 6 + length).map((byte, at) => byte ^ mask[at % 4]));
    socket.write(Buffer.concat([Buffer.from([0x81, length]), text]));
  });
});
// As development servers do: on one of the loopback addresses.
server.listen(8123, process.argv[2]);
`;

await owner.ok('writeWorkspaceFile', {
  params,
  query: { path: 'server.mjs' },
  raw: PROGRAM,
  headers: { 'content-type': 'text/javascript' },
});
const terminal = await TerminalClient.open(owner, params.workspace_id);
afterAll(() => terminal.end());

const ports = async () => (await owner.ok('listPorts', { params })).ports;
const preview = (port: number) => owner.ok('createPreview', { params: { ...params, port } });

/** Connects to this computer, as browsers do for names under localhost. */
async function visit(
  url: string,
  options: { method?: string; body?: Buffer; headers?: Record<string, string> } = {},
) {
  const { hostname, port, pathname, search } = new URL(url);
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: pathname + search,
    method: options.method ?? 'GET',
    headers: { host: `${hostname}:${port}`, ...options.headers },
  });
  outgoing.end(options.body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return incoming;
}

test.each(['127.0.0.1', '::1'])('a port on %s is listed while it listens', async (address) => {
  expect(await ports()).toEqual([]);
  terminal.type(`/run/chatd/node server.mjs ${address}\n`);
  await eventually(async () => expect(await ports()).toMatchObject([{ port: 8123 }]));
  const { url } = await preview(8123);
  expect((await visit(url)).statusCode).toBe(200);
  terminal.type('\u0003');
  await eventually(async () => expect(await ports()).toEqual([]));
  expect((await visit(url)).statusCode).toBe(502);
});

test('requests reach the program, without credentials of chatd', async () => {
  terminal.type('/run/chatd/node server.mjs 127.0.0.1\n');
  await eventually(async () => expect(await ports()).toHaveLength(1));
  const { url, expires_at } = await preview(8123);
  expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
  const { host, origin } = new URL(url);
  expect(host).toMatch(/^[a-z2-7]{61}\.localhost:\d+$/);
  const body = Buffer.alloc(9 * 1024 * 1024, 'u');
  const answer = await visit(`${url}path?q=1`, {
    method: 'PUT',
    body,
    headers: { origin, cookie: 'own=1', 'x-forwarded-for': '9.9.9.9', constructor: 'x' },
  });
  const seen = JSON.parse(await textOf(answer)) as Record<string, Record<string, string>>;
  expect(seen).toMatchObject({
    method: 'PUT',
    url: '/path?q=1',
    size: body.length,
    headers: { host: 'localhost:8123', origin: 'http://localhost:8123', cookie: 'own=1' },
  });
  expect(seen['headers']).not.toHaveProperty('x-forwarded-for');
  expect(answer.headers['referrer-policy']).toBe('same-origin');

  const moved = await visit(`${url}old`);
  expect(moved.statusCode).toBe(302);
  expect(moved.headers.location).toBe('/new');
  expect(moved.headers['x-frame-options']).toBeUndefined();
  expect(moved.headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2; HttpOnly']);

  // The beginning of a stream arrives before its end.
  const events = await visit(`${url}events`);
  const [first] = (await once(events, 'data')) as [Buffer];
  expect(first.toString()).toBe('data: 1\n\n');
  events.destroy();
  expect(await textOf(await visit(`${url}big`))).toHaveLength(24 * 1024 * 1024);
  expect((await visit(`${url}hang`)).statusCode).toBe(502);
});

test.each([
  ['HTTP/1.1 200 O\u0001K\r\ncontent-length: 0\r\n\r\n', 200],
  ['HTTP/1.1 000 None\r\ncontent-length: 0\r\n\r\n', 502],
  ['HTTP/1.1 101 Switching\r\n\r\n', 502],
  ['HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 502],
  ['HTTP/1.1 200 OK\r\nx: \u0001\r\n\r\n', 502],
])('the server survives the response %j', async (raw, status) => {
  const { url } = await preview(8123);
  expect((await visit(`${url}raw?${encodeURIComponent(raw)}`)).statusCode).toBe(status);
});

test('a WebSocket reaches the program', async () => {
  const { url } = await preview(8123);
  const { hostname, port } = new URL(url);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/hmr`, {
    headers: { host: `${hostname}:${port}` },
  });
  await once(socket, 'open');
  socket.send('hello');
  const [data] = (await once(socket, 'message')) as [Buffer];
  expect(data.toString()).toBe('hello');
  socket.terminate();
});

test('only a signed name leads to a port, and nothing else is served there', async () => {
  const { url } = await preview(8123);
  const { hostname } = new URL(url);
  const other = `${hostname[0] === 'a' ? 'b' : 'a'}${hostname.slice(1)}`;
  expect((await visit(url.replace(hostname, other))).statusCode).toBe(404);
  // The API is not served there, with any credentials.
  const api = await visit(`${url}api/v1/users/me`, { headers: { ...owner.headers } });
  expect(JSON.parse(await textOf(api))).toMatchObject({ url: '/api/v1/users/me' });
  // Ports of the machine are not those of the workspace.
  const own = await preview(Number(new URL(server.url).port));
  expect((await visit(own.url)).statusCode).toBe(502);
});

test('a preview ends with the workspace, and with the account of its owner', async () => {
  const { url } = await preview(8123);
  const me = await owner.ok('getMe');
  await admin.ok('updateUser', { params: { user_id: me.id }, body: { suspended: true } });
  expect((await visit(url)).statusCode).toBe(404);
  // A suspension stops the workspaces of the user.
  await admin.ok('updateUser', { params: { user_id: me.id }, body: { suspended: false } });
  expect((await visit(url)).statusCode).toBe(409);
  await eventually(async () => expect(await ports()).toEqual([]));
});
