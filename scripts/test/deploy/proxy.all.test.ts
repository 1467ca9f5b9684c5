import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Problem } from '../../../packages/protocol/src/index.ts';
import { missing } from './bare-debian.ts';
import { readDeploy } from './files.ts';
import { freePort } from './free-port.ts';

const impossible = missing('nginx');

interface Replica {
  readonly port: number;
  /** Method and path of each complete request. */
  readonly received: string[];
}

/** A replacement for chatd that reads each request completely before it responds. */
async function startReplica(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Replica> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      received.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, received };
}

/** nginx with deploy/nginx.conf in front of these two ports. */
async function startProxy(first: number, second: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chatd-proxy-'));
  await chmod(folder, 0o711);
  const port = await freePort();
  const site = readDeploy('nginx.conf')
    .replace('chatd-1:7717', `127.0.0.1:${first}`)
    .replace('chatd-2:7717', `127.0.0.1:${second}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`);
  await writeFile(join(folder, 'site.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  await writeFile(
    join(folder, 'nginx.conf'),
    `pid ${folder}/pid; daemon off; events {}
     http { access_log off; ${temporary.join(' ')} include ${folder}/site.conf; }`,
  );
  const args = ['-e', '/dev/null', '-p', folder, '-c', join(folder, 'nginx.conf')];
  const child = spawn('nginx', args, { stdio: 'inherit' });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitUntil(() => fetch(`${url}/metrics`).then(Boolean, () => false), { timeout: 30_000 });
  return url;
}

const cut = (request: IncomingMessage) => void request.socket.destroy();
const refuse = (_: IncomingMessage, response: ServerResponse) =>
  void response
    .writeHead(503, { 'content-type': 'application/problem+json' })
    .end('{"code":"unavailable"}');
const accept = (_: IncomingMessage, response: ServerResponse) => void response.end('accepted');

/** Fails unless the body is a problem with the status of the response. */
async function problemOf(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = Problem.parse(await response.json());
  expect(problem.status).toBe(response.status);
  return problem;
}

describe.skipIf(impossible !== undefined)(`nginx (${impossible ?? 'real'})`, () => {
  test.each(['POST', 'PATCH'])('does not retry a %s that a replica received', async (method) => {
    const [first, second] = [await startReplica(cut), await startReplica(cut)];
    const url = await startProxy(first.port, second.port);
    const response = await fetch(`${url}/api/v1/chats`, { method, body: '{}' });
    expect(response.status).toBe(502);
    expect((await problemOf(response)).code).toBe('bad_gateway');
    expect([...first.received, ...second.received]).toEqual([`${method} /api/v1/chats`]);
  });

  test('forwards the 503 of a replica to a POST unchanged', async () => {
    const [first, second] = [await startReplica(refuse), await startReplica(refuse)];
    const url = await startProxy(first.port, second.port);
    const response = await fetch(`${url}/api/v1/chats`, { method: 'POST', body: '{}' });
    expect([response.status, await response.text()]).toEqual([503, '{"code":"unavailable"}']);
    expect([...first.received, ...second.received]).toHaveLength(1);
  });

  test.each([
    ['breaks the connection', cut],
    ['answers 503', refuse],
  ])('sends a GET to the other replica when one %s', async (_, fail) => {
    const [first, second] = [await startReplica(fail), await startReplica(accept)];
    const url = await startProxy(first.port, second.port);
    // Sequential, so that the first two reach both replicas.
    for (const path of ['/one', '/two']) {
      expect(await (await fetch(`${url}${path}`)).text()).toBe('accepted');
    }
    expect(first.received).toHaveLength(1);
  });

  test('sends a POST to the other replica when the first accepts no connections', async () => {
    const second = await startReplica(accept);
    const url = await startProxy(await freePort(), second.port);
    for (let time = 0; time < 3; time += 1) {
      const response = await fetch(`${url}/api/v1/chats`, { method: 'POST', body: '{}' });
      expect(await response.text()).toBe('accepted');
    }
    expect(second.received).toHaveLength(3);
  });

  test('accepts 16 MiB and rejects more with a problem document', async () => {
    const [first, second] = [await startReplica(accept), await startReplica(accept)];
    const url = await startProxy(first.port, second.port);
    const post = (bytes: number) =>
      fetch(`${url}/api/v1/files`, { method: 'POST', body: Buffer.alloc(bytes) });
    expect((await post(16 * 1024 * 1024)).status).toBe(200);
    const refused = await post(16 * 1024 * 1024 + 1);
    expect(refused.status).toBe(413);
    expect((await problemOf(refused)).code).toBe('body_too_large');
  });

  test('returns problem documents for metrics, too many sign-ins and malformed requests', async () => {
    const replica = await startReplica(accept);
    const url = await startProxy(replica.port, replica.port);
    expect((await problemOf(await fetch(`${url}/metrics`))).code).toBe('not_found');

    const codes: string[] = [];
    for (let time = 0; time < 12; time += 1) {
      const response = await fetch(`${url}/api/v1/session`, { method: 'POST' });
      if (response.status !== 429) continue;
      expect(response.headers.get('retry-after')).toBe('3');
      codes.push((await problemOf(response)).code);
    }
    expect(codes).toContain('too_many_requests');

    const long = await fetch(`${url}/?${'q'.repeat(40_000)}`);
    expect([long.status, (await problemOf(long)).code]).toEqual([400, 'invalid_request']);
    expect(await raw(url, 'GET / HTTP/1.1\r\nhost: a b\r\n\r\n')).toContain('invalid_request');
  });
});

/** Sends raw bytes and resolves with the response. */
async function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(text);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
