import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startGitHost } from '@chatd/test-server/git';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { pino } from 'pino';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { GitProxy } from '../../src/git/proxy/git-proxy.ts';
import { guardedAgent } from '../../src/providers/fetch/guarded-agent.ts';
import type { GitConnectionRow } from '../../src/store/queries/git.ts';
import type { Queryable } from '../../src/store/statement.ts';

const TOKEN = 'another-token-0123456789';
const host = await startGitHost(TOKEN);
await host.repositories.create('acme/shop', { 'README.md': 'A shop.\n' });
const directory = await makeTemporaryDirectory();

let token = TOKEN;
let pushes: { ref: string; commit: string }[] = [];
const connection = { host: host.host, username: 'ann', repositories: null } as GitConnectionRow;
const agent = guardedAgent(() => Promise.resolve(true));
const proxy = new GitProxy({
  database: { query: () => Promise.resolve(pushes) } as unknown as Queryable,
  connections: {
    find: (_owner, name) => Promise.resolve(name === host.host ? connection : undefined),
    token: () => Promise.resolve(token),
    refused: () => undefined,
  },
  dispatcher: agent,
  log: pino({ level: 'silent' }),
});
const server = createServer((incoming, outgoing) => {
  void proxy.answer({ id: 'w', owner_id: 'o' }, incoming, outgoing);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const url = `${address}/${host.host}/acme/shop`;
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await agent.destroy();
  await rm(directory, { recursive: true, force: true });
});

const run = promisify(execFile);
const AUTHOR = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];
const clone = join(directory, 'clone');
const git = (...args: string[]) =>
  run('git', [...AUTHOR, ...args], {
    cwd: clone,
    env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
  });
/** The error output of git. */
const failure = (...args: string[]) =>
  git(...args).then(
    () => 'no failure',
    (error: unknown) => (error as { stderr: string }).stderr,
  );
await run('git', ['clone', '--quiet', url, clone]);

beforeEach(() => {
  token = TOKEN;
  pushes = [];
  host.redirect = undefined;
  host.gitHeaders.length = 0;
});

const newCommit = async (content: string) => {
  await writeFile(join(clone, 'file.txt'), content);
  await git('add', '--all');
  await git('commit', '--quiet', '-m', 'change');
  return (await git('rev-parse', 'HEAD')).stdout.trim();
};

test('repository names can begin with a dot', async () => {
  await host.repositories.create('acme/.github', { 'README.md': 'All repositories.\n' });
  const dotted = `${address}/${host.host}/acme/.github`;
  expect((await git('ls-remote', dotted, 'main')).stdout).toContain('refs/heads/main');
});

test('only a push of the approved commit to the approved branch is accepted', async () => {
  const commit = await newCommit('one');
  expect(await failure('push', 'origin', 'HEAD:refs/heads/a')).toContain('Use the tool git_push');
  pushes = [{ ref: 'refs/heads/a', commit }];
  expect(await failure('push', 'origin', 'HEAD:refs/heads/b')).toContain('403');
  expect(await failure('push', 'origin', 'HEAD:refs/heads/a', 'HEAD:refs/heads/b')).toContain(
    '403',
  );
  expect(await failure('push', 'origin', ':refs/heads/main')).toContain('403');
  await newCommit('two');
  expect(await failure('push', 'origin', 'HEAD:refs/heads/a')).toContain('403');
  expect(await host.repositories.commit('acme/shop', 'a')).toBeUndefined();
  await git('push', '--quiet', 'origin', `${commit}:refs/heads/a`);
  expect(await host.repositories.commit('acme/shop', 'a')).toBe(commit);
});

test('a push cannot set push options or delete a branch', async () => {
  await host.repositories.git('acme/shop', 'config', 'receive.advertisePushOptions', 'true');
  const commit = await newCommit('three');
  pushes = [{ ref: 'refs/heads/options', commit }];
  const options = ['-o', 'merge_request.create', 'origin', 'HEAD:refs/heads/options'];
  expect(await failure('push', ...options)).toContain('400');
  expect(await host.repositories.commit('acme/shop', 'options')).toBeUndefined();
  await git('push', '--quiet', 'origin', 'HEAD:refs/heads/options');
  // A program in the workspace can name any commit as the one to push.
  pushes = [{ ref: 'refs/heads/options', commit: '0'.repeat(40) }];
  expect(await failure('push', 'origin', ':refs/heads/options')).toContain('403');
  expect(await host.repositories.commit('acme/shop', 'options')).toBe(commit);
});

test('a push of many megabytes is streamed', async () => {
  const commit = await newCommit(randomBytes(3 * 1024 * 1024).toString('latin1'));
  pushes = [{ ref: 'refs/heads/large', commit }];
  await git('push', '--quiet', 'origin', 'HEAD:refs/heads/large');
  expect(await host.repositories.commit('acme/shop', 'large')).toBe(commit);
});

test("headers from the workspace do not reach the host, and the host's cookies are not returned", async () => {
  const response = await fetch(`${url}/info/refs?service=git-upload-pack`, {
    headers: { authorization: 'Basic c3RvbGVu', cookie: 'a=b', 'x-forwarded-for': '1.2.3.4' },
  });
  expect(response.status).toBe(200);
  expect(response.headers.has('set-cookie')).toBe(false);
  const [headers = {}] = host.gitHeaders;
  expect(Object.keys(headers).toSorted()).toEqual(
    ['accept', 'authorization', 'connection', 'host', 'user-agent'].toSorted(),
  );
  expect(headers.authorization).not.toContain('c3RvbGVu');
});

test('a redirect within the host stays in the proxy, and one to another host is refused', async () => {
  host.redirect = (path) =>
    path.startsWith('/acme/old/')
      ? `https://${host.host}${path.replace('/acme/old/', '/acme/shop/')}`
      : undefined;
  const old = `${address}/${host.host}/acme/old`;
  expect((await git('ls-remote', old, 'main')).stdout).toContain('refs/heads/main');
  host.redirect = (path) => `https://elsewhere.example${path}`;
  expect(await failure('ls-remote', url)).toContain('redirects to another host');
  host.redirect = (path) => `http://${host.host}${path}`;
  expect(await failure('ls-remote', url)).toContain('redirects to another host');
});

test('a refused token is explained, and git does not ask for a password', async () => {
  token = 'expired-token-0123456789';
  const said = await failure('ls-remote', url);
  expect(said).toContain('refused the token');
  expect(said).not.toContain('expired-token');
});

test('a private address is refused unless it is allowed', async () => {
  const fresh = guardedAgent(() => Promise.resolve(false));
  const guarded = new GitProxy({
    database: { query: () => Promise.resolve([]) },
    connections: {
      find: () => Promise.resolve(connection),
      token: () => Promise.resolve(token),
      refused: () => undefined,
    },
    dispatcher: fresh,
    log: pino({ level: 'silent' }),
  });
  const other = createServer((incoming, outgoing) => {
    void guarded.answer({ id: 'w', owner_id: 'o' }, incoming, outgoing);
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const response = await fetch(
    `http://127.0.0.1:${port}/${host.host}/acme/shop/info/refs?service=git-upload-pack`,
  );
  expect(response.status).toBe(403);
  expect(await response.text()).toContain('private address');
  expect(host.gitHeaders).toEqual([]);
  other.close();
  await fresh.destroy();
});

test.each([
  ['GET', '/acme/shop/HEAD'],
  ['GET', '/acme/shop/info/refs'],
  ['GET', '/acme/shop/objects/info/packs'],
  ['GET', '/acme/../secret/info/refs?service=git-upload-pack'],
  ['GET', '/acme/./secret/info/refs?service=git-upload-pack'],
  ['GET', '/acme/.git/info/refs?service=git-upload-pack'],
  ['GET', '/acme/%2e%2e/secret/info/refs?service=git-upload-pack'],
  ['GET', '/api/v3/user'],
  ['POST', '/api/v3/repos/acme/shop/pulls'],
  ['POST', '/acme/shop/info/refs?service=git-upload-pack'],
  ['GET', '/acme/shop/git-upload-pack'],
  ['DELETE', '/acme/shop/git-upload-pack'],
])('%s %s does not reach the host', async (method, path) => {
  const before = host.requests.length;
  // `fetch` would normalize the path.
  const asked = request(address, { method, path: `/${host.host}${path}` }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(403);
  expect(host.requests.length).toBe(before);
});
