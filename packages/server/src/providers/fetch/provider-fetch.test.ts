import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { guardedAgent, type Lookup } from './guarded-agent.ts';
import { providerFetch } from './provider-fetch.ts';

const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0)) await step();
});

async function serve(answer: RequestListener): Promise<{ port: number; requests: string[] }> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(() => new Promise((resolve) => server.close(resolve)));
  return { port: (server.address() as AddressInfo).port, requests };
}

function client(allowed: boolean, lookup?: Lookup) {
  const agent = guardedAgent(() => Promise.resolve(allowed), lookup);
  cleanup.unshift(() => agent.destroy());
  return providerFetch(agent);
}

const resolvingTo = (...addresses: string[]): Lookup => {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return () => Promise.resolve(all);
};

test('an allowed private address is called, by host name and by IP address', async () => {
  const { port, requests } = await serve((_, response) => response.end('hello'));
  const fetch = client(true, resolvingTo('127.0.0.1'));
  expect(await (await fetch(`http://127.0.0.1:${port}/number`)).text()).toBe('hello');
  expect(await (await fetch(`http://ollama.test:${port}/name`)).text()).toBe('hello');
  expect(requests).toEqual(['/number', '/name']);
});

test.each(['127.0.0.1', 'ollama.test', '[::ffff:127.0.0.1]', '2130706433'])(
  'a private address that is not allowed is not called: %s',
  async (host) => {
    const { port, requests } = await serve((_, response) => response.end());
    const call = client(false, resolvingTo('127.0.0.1'))(`http://${host}:${port}/`);
    await expect(call).rejects.toMatchObject({ name: 'ProviderError', kind: 'config' });
    expect(requests).toEqual([]);
  },
);

test('a host name that also resolves to a private address is blocked at the connection', async () => {
  const { port, requests } = await serve((_, response) => response.end());
  const fetch = client(false, resolvingTo('93.184.216.34', '127.0.0.1'));
  await expect(fetch(`http://rebound.test:${port}/`)).rejects.toMatchObject({ kind: 'config' });
  expect(requests).toEqual([]);
});

test('a host name is resolved once for each connection, and its new address is checked', async () => {
  const { port, requests } = await serve((_, response) => {
    response.writeHead(200, { connection: 'close' }).end('hello');
  });
  const answers = ['127.0.0.1', '169.254.169.254'].map((address) => [{ address, family: 4 }]);
  const fetch = client(true, () => Promise.resolve(answers.shift() ?? []));
  const url = `http://rebound.test:${port}/`;
  expect(await (await fetch(url)).text()).toBe('hello');
  await expect(fetch(url)).rejects.toThrow('always blocked');
  expect(requests).toEqual(['/']);
});

test.each(['http://169.254.169.254/', 'http://[::ffff:a9fe:a9fe]/', 'http://metadata.test/'])(
  'the cloud metadata address is always blocked: %s',
  async (url) => {
    const fetch = client(true, resolvingTo('169.254.169.254'));
    await expect(fetch(url)).rejects.toThrow('always blocked');
  },
);

test.each([301, 302, 307, 308])('a redirect is not followed: %i', async (status) => {
  const target = await serve((_, response) => response.end());
  const { port } = await serve((_, response) => {
    response.writeHead(status, { location: `http://127.0.0.1:${target.port}/` }).end();
  });
  const call = client(true)(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' });
  await expect(call).rejects.toMatchObject({ kind: 'config', statusCode: status });
  expect(target.requests).toEqual([]);
});

test('an aborted request closes its connection', async () => {
  const closed = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const { port } = await serve((_, response) => {
    response.once('close', closed.resolve);
    arrived.resolve();
  });
  const abort = new AbortController();
  const call = client(true)(`http://127.0.0.1:${port}/`, { signal: abort.signal });
  // Caught from the start, so that the rejection is never unhandled.
  const failure = call.catch((error: unknown) => error);
  await arrived.promise;
  abort.abort(new Error('enough'));
  expect(await failure).toMatchObject({ message: 'enough' });
  await closed.promise;
});

test('an endless body is refused', async () => {
  const piece = Buffer.alloc(1024 * 1024);
  const ended = Promise.withResolvers<void>();
  const { port } = await serve((_, response) => {
    const more = () => response.destroyed || response.write(piece, more);
    response.on('close', () => ended.resolve());
    more();
  });
  const response = await client(true)(`http://127.0.0.1:${port}/`);
  await expect(response.text()).rejects.toMatchObject({
    name: 'ProviderError',
    message: expect.stringContaining('exceeded 128 MiB'),
  });
  await ended.promise;
});
