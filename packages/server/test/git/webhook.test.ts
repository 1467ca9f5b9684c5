import { createHmac, randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ManualClock } from '@chatd/loop/testing';
import { startServerOn, startTestServer } from '@chatd/test-server';
import { dump } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { startGitHost } from '@chatd/test-server/git';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { readyWorkspace } from '@chatd/test-server/workspaces';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { GitChanges } from '../../src/git/changes.ts';

const TOKEN = 'token-of-the-webhook-0123456789';
const SECRET = 'secret-of-the-webhook-0123456789';
const directory = await makeTemporaryDirectory();
afterAll(() => rm(directory, { recursive: true, force: true }));
const dataDir = join(directory, 'data');
await mkdir(dataDir);
const host = await startGitHost(TOKEN);
await host.repositories.create('acme/shop', { 'README.md': 'A shop.\n' });
const server = await startTestServer({
  dataDir,
  concurrency: 4,
  secretKey: 'a-secret-key-for-tests',
  githubWebhookSecret: SECRET,
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
});
const { admin, owner, stranger, anonymous, databaseUrl } = server;

const about = (repository: string) => ({
  repository: { full_name: repository, html_url: `https://${host.host}/${repository}` },
});

/** Delivers an event like GitHub. */
async function deliver(event: string, payload: object, { secret = SECRET, to = anonymous } = {}) {
  const body = JSON.stringify(payload);
  const response = await fetch(`${to.url}/git/webhooks/github`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  });
  return response.status;
}

test('a request without a valid signature is refused and changes nothing', async () => {
  const before = await dump(databaseUrl);
  expect(await deliver('push', about('acme/shop'), { secret: 'another' })).toBe(404);
  const unsigned = await fetch(`${server.url}/git/webhooks/github`, {
    method: 'POST',
    body: JSON.stringify(about('acme/shop')),
    headers: { 'content-type': 'application/json', 'x-github-event': 'push' },
  });
  expect(unsigned.status).toBe(404);
  expect((await fetch(`${server.url}/git/webhooks/github`)).status).toBe(405);
  expect(await deliver('ping', { zen: 'Keep it logically awesome.' })).toBe(204);
  expect(await dump(databaseUrl)).toBe(before);
});

test('without a secret, every request is refused', async () => {
  const other = await startServerOn(databaseUrl, { concurrency: 0 });
  expect(await deliver('push', about('acme/shop'), { to: other.admin })).toBe(404);
  expect(await deliver('push', about('acme/shop'), { to: other.admin, secret: '' })).toBe(404);
});

test('a delivery wakes clients that wait for the repository, and the host is requested again', async () => {
  await owner.ok('createGitConnection', {
    body: { host: host.host, kind: 'github', token: TOKEN },
  });
  const { id: template_id } = await admin.ok('createTemplate', {
    body: {
      name: 'shop',
      driver: 'host',
      source: { git: { url: `https://${host.host}/acme/shop.git` } },
    },
  });
  const workspace_id = await readyWorkspace(owner, template_id);
  const { id: chat_id } = await owner.ok('createChat', {
    body: { content: 'Hello', title: 'Rename', workspace_id },
  });
  const params = { chat_id };
  await eventually(async () =>
    expect((await owner.ok('getChat', { params })).status).not.toBe('running'),
  );
  await owner.ok('writeWorkspaceFile', {
    params: { workspace_id },
    query: { path: 'name.txt' },
    raw: 'Store',
    headers: { 'content-type': 'application/octet-stream' },
  });
  await owner.ok('pushChatGit', { params, body: { message: 'Rename' } });
  await owner.ok('createPullRequest', { params, body: { title: 'Rename' } });
  const checks = async () =>
    (await owner.ok('getChatGit', { params })).repositories[0]?.pull_request?.checks;
  expect(await checks()).toEqual([]);
  const [pull] = host.repositories.pulls('acme/shop');
  if (pull === undefined) throw new Error('not opened');

  expect(await stranger.refusal('waitForGitChange', { params })).toBe('404 not_found');
  expect(await owner.ok('waitForGitChange', { params, query: { seconds: '0' } })).toEqual({
    changed: false,
  });
  // Another replica gets the delivery.
  const other = await startServerOn(databaseUrl, {
    concurrency: 0,
    githubWebhookSecret: SECRET,
  });
  const waiting = owner.ok('waitForGitChange', { params, query: { seconds: '30' } });
  // Neither a repository that is not shown nor an irrelevant event wakes the client.
  expect(await deliver('check_run', about('acme/other'), { to: other.admin })).toBe(204);
  expect(await deliver('star', about('acme/shop'), { to: other.admin })).toBe(204);
  pull.checks = [{ name: 'build', conclusion: 'success' }];
  // Repeated until the wait has started.
  let isOver = false;
  void waiting.then(() => (isOver = true));
  await eventually(async () => {
    expect(await deliver('check_run', about('Acme/Shop'), { to: other.admin })).toBe(204);
    expect(isOver).toBe(true);
  });
  expect(await waiting).toEqual({ changed: true });
  // The last response would still be fresh.
  expect(await checks()).toMatchObject([{ name: 'build', status: 'success' }]);
});

test('a change wakes only clients of workspaces that have shown the repository', async () => {
  const clock = new ManualClock();
  const changes = new GitChanges(new MemoryBus(pino({ level: 'silent' })), clock);
  await changes.start();
  const remote = { host: 'github.com', repository: 'Acme/shop' };
  changes.shown('one', remote);
  changes.shown('two', { ...remote, repository: 'acme/other' });
  const [one, two] = [changes.wait('one', 1000), changes.wait('two', 1000)];
  changes.report({ host: 'ghe.example', repository: 'acme/shop' });
  changes.report({ host: 'github.com', repository: 'acme/shop' });
  expect(await one).toBe(true);
  clock.advance(1000);
  expect(await two).toBe(false);
  // The repository was shown too long ago.
  clock.advance(3 * 60_000);
  const late = changes.wait('one', 1000);
  changes.report(remote);
  await Promise.resolve();
  clock.advance(1000);
  expect(await late).toBe(false);
  await changes.close();
});
