import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { guardedAgent } from './guarded-agent.ts';
import { providerTransport } from './provider-transport.ts';

const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0)) await step();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function client(allowPrivate = true) {
  const agent = guardedAgent(() => Promise.resolve(allowPrivate));
  cleanup.unshift(() => agent.destroy());
  return providerTransport(agent);
}

const request = (url: string, signal?: AbortSignal) => ({
  url,
  headers: {},
  body: new TextEncoder().encode('{}'),
  signal,
});
const none = () => undefined;

/** A response that the test continues, and its end as the server sees it. */
async function streaming(): Promise<{
  url: string;
  response: Promise<ServerResponse>;
  closed: Promise<void>;
}> {
  const response = Promise.withResolvers<ServerResponse>();
  const closed = Promise.withResolvers<void>();
  const url = await serve((_, answer) => {
    answer.once('close', closed.resolve);
    answer.write('first');
    response.resolve(answer);
  });
  return { url, response: response.promise, closed: closed.promise };
}

test('a response is passed on read by read, after its headers', async () => {
  const url = await serve((asked, response) => {
    asked.pipe(response.writeHead(200, { 'x-request-id': 'r' }));
  });
  const seen: unknown[] = [];
  const failed = await client()(
    request(url),
    (headers) => void seen.push(headers['x-request-id']),
    (bytes) => void seen.push(Buffer.from(bytes).toString()),
  );
  expect(failed).toBeUndefined();
  expect(seen).toEqual(['r', '{}']);
});

test('a failed response is returned whole', async () => {
  const url = await serve((_, response) => {
    response.writeHead(429, { 'retry-after': '3' }).end('slow down');
  });
  expect(await client()(request(url), none, none)).toMatchObject({
    status: 429,
    body: 'slow down',
    headers: { 'retry-after': '3' },
  });
});

test('addresses are checked, and redirects are not followed', async () => {
  const url = await serve((_, response) => void response.writeHead(307, { location: '/' }).end());
  await expect(client(false)(request(url), none, none)).rejects.toMatchObject({ kind: 'config' });
  await expect(client()(request(url), none, none)).rejects.toMatchObject({
    kind: 'config',
    statusCode: 307,
  });
});

test('an abort closes the connection and rejects with its reason', async () => {
  const { url, closed } = await streaming();
  const abort = new AbortController();
  const reason = new Error('enough');
  const call = client()(request(url, abort.signal), none, () => {
    abort.abort(reason);
    return undefined;
  });
  await expect(call).rejects.toBe(reason);
  await closed;
  await expect(client()(request(url, abort.signal), none, none)).rejects.toBe(reason);
});

test('an error of the reader closes the connection', async () => {
  const { url, closed } = await streaming();
  const error = new Error('too long');
  const call = client()(request(url), none, () => {
    throw error;
  });
  await expect(call).rejects.toBe(error);
  await closed;
});

test('nothing is read during a pause', async () => {
  const { url, response } = await streaming();
  const pause = Promise.withResolvers<void>();
  const paused = Promise.withResolvers<void>();
  let received = 0;
  const call = client()(request(url), none, (bytes) => {
    received += bytes.length;
    paused.resolve();
    return pause.promise;
  });
  await paused.promise;
  // More than the buffers of both sockets hold.
  const answer = await response;
  const piece = Buffer.alloc(1024 * 1024);
  for (let count = 0; count < 16; count++) answer.write(piece);
  answer.end();
  await new Promise(setImmediate);
  expect(received).toBe('first'.length);
  expect(answer.writableFinished).toBe(false);
  pause.resolve();
  await call;
  expect(received).toBe('first'.length + 16 * piece.length);
});

test('a response that ends its connection is read without pauses', async () => {
  const url = await serve((_, answer) => {
    answer.writeHead(200, { connection: 'close' });
    answer.write('first');
    setImmediate(() => answer.end(' second'));
  });
  let text = '';
  const never = new Promise<void>(() => undefined);
  await client()(request(url), none, (bytes) => {
    text += Buffer.from(bytes).toString();
    return never;
  });
  expect(text).toBe('first second');
});

test('requests have a user agent', async () => {
  const url = await serve((asked, response) => void response.end(asked.headers['user-agent']));
  let agent = '';
  await client()(request(url), none, (bytes) => void (agent += Buffer.from(bytes).toString()));
  expect(agent).toBe('chatd');
});

test('a lost connection is reported as by fetch', async () => {
  const { url, response } = await streaming();
  const call = client()(request(url), none, () => {
    void response.then((answer) => answer.destroy());
    return undefined;
  });
  await expect(call).rejects.toMatchObject({ name: 'TypeError', cause: expect.any(Error) });
  await expect(client()(request('http://127.0.0.1:9/'), none, none)).rejects.toMatchObject({
    name: 'TypeError',
    cause: { code: 'ECONNREFUSED' },
  });
});
