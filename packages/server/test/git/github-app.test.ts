import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ManualClock } from '@chatd/loop/testing';
import { startTestServer } from '@chatd/test-server';
import { dump } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { startGitHost } from '@chatd/test-server/git';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { GitHubApp } from '../../src/git/github-app/github-app.ts';
import { gatewayEnvironment } from '../../src/machine/drivers/host/gateway-environment.ts';
import { guardedAgent } from '../../src/providers/fetch/guarded-agent.ts';

const TOKEN = 'token-of-a-user-0123456789';
const host = await startGitHost(TOKEN);
const { app } = host;
for (const name of ['acme/shop', 'acme/docs', 'acme/plans', 'other/shop'])
  await host.repositories.create(name, { 'README.md': `This is ${name}.\n` });
const agent = guardedAgent(() => Promise.resolve(true));
const directory = await makeTemporaryDirectory();
afterAll(async () => {
  await agent.destroy();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(() => {
  app.installations.length = 0;
  app.tokens.length = 0;
  app.now = Date.now;
});

const options = {
  appId: app.id,
  privateKey: app.privateKey,
  host: host.host,
  repositories: ['acme/shop', 'acme/docs', 'other/*'],
};

/** The app and the clock that it shares with the host. */
function open(over: Partial<typeof options> = {}) {
  const clock = new ManualClock();
  app.now = () => clock.now();
  return { clock, github: new GitHubApp({ ...options, ...over }, agent, clock) };
}

test('a token is valid for one repository, and read-only unless it must write', async () => {
  app.install('acme/shop', 'acme/docs');
  const { github } = open();
  const read = await github.token('acme/shop', 'read');
  const write = await github.token('acme/shop', 'write');
  expect(app.tokens).toMatchObject([
    { token: read, repositories: ['acme/shop'], permissions: { contents: 'read' } },
    {
      token: write,
      repositories: ['acme/shop'],
      permissions: { contents: 'write', pull_requests: 'write', checks: 'read', statuses: 'read' },
    },
  ]);
  expect(app.tokens[0]?.permissions).not.toHaveProperty('pull_requests');
});

test('a token is cached while it is valid, then replaced', async () => {
  app.install('acme/shop');
  const { clock, github } = open();
  const token = () => github.token('acme/shop', 'read');
  const [first, same] = await Promise.all([token(), token()]);
  expect(same).toBe(first);
  clock.advance(49 * 60_000);
  expect(await token()).toBe(first);
  clock.advance(2 * 60_000);
  const second = await token();
  expect(second).not.toBe(first);
  expect(app.tokens).toHaveLength(2);
  // As when the host refuses the token.
  github.forget('acme/shop');
  expect(await token()).not.toBe(second);
});

test('the host accepts only assertions signed by the app', async () => {
  app.install('acme/shop');
  const { privateKey } = (await startGitHost('another-0123456789')).app;
  for (const wrong of [{ privateKey }, { appId: '4712' }]) {
    const { github } = open(wrong);
    await expect(github.token('acme/shop', 'read')).rejects.toMatchObject({
      code: 'git_token_refused',
    });
  }
  const { clock, github } = open();
  // The app's clock is too far ahead of the host's.
  app.now = () => clock.now() - 11 * 60_000;
  await expect(github.token('acme/shop', 'read')).rejects.toThrow('refused');
  expect(app.tokens).toEqual([]);
});

test('the app requests only permissions that its installation has', async () => {
  const { permissions } = app.install('acme/shop');
  delete permissions['checks'];
  permissions['pull_requests'] = 'read';
  const { github } = open();
  await github.token('acme/shop', 'write');
  expect(app.tokens[0]?.permissions).toEqual({
    metadata: 'read',
    contents: 'write',
    pull_requests: 'read',
    statuses: 'read',
  });
});

test('without an installation, or with a suspended one, no token is issued', async () => {
  const { github } = open();
  await expect(github.token('acme/shop', 'read')).rejects.toThrow('is not installed on acme/shop');
  app.install('acme/docs').suspended = true;
  await expect(github.token('acme/docs', 'read')).rejects.toThrow('is suspended');
});

test('git uses the server for the owners of the allowed repositories, and the network for all others', () => {
  const { github } = open({ host: 'github.com' });
  expect(github.routes).toEqual(['github.com/acme', 'github.com/other']);
  const env = gatewayEnvironment(['github.com/acme', 'git.example:8443'], 99);
  const urls = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith('GIT_CONFIG_VALUE_') && value !== '' ? [value] : [],
  );
  expect(urls).toEqual([
    'https://github.com/acme/',
    'git@github.com:acme/',
    'ssh://git@github.com/acme/',
    'https://git.example:8443/',
    'git@git.example:8443:',
    'ssh://git@git.example:8443/',
  ]);
});

test('users without a token access allowed repositories through the app, other users with their token', async () => {
  const dataDir = join(directory, 'data');
  await mkdir(dataDir);
  const { admin, owner, stranger, logged, databaseUrl } = await startTestServer({
    dataDir,
    concurrency: 4,
    secretKey: 'a-secret-key-for-tests',
    githubApp: options,
    workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
  });
  app.install('acme/shop', 'acme/plans');
  const cloned = async (repository: string, client = owner) => {
    const { id: template_id } = await admin.ok('createTemplate', {
      body: {
        name: `${repository.replace('/', '-')}-${app.tokens.length}`,
        driver: 'host',
        source: { git: { url: `https://${host.host}/${repository}.git` } },
      },
    });
    const { id } = await client.ok('createWorkspace', { body: { template_id } });
    return await eventually(async () => {
      const workspace = await client.ok('getWorkspace', { params: { workspace_id: id } });
      expect(workspace.status).not.toBe('creating');
      return workspace;
    });
  };
  const { id: workspace_id, status } = await cloned('acme/shop');
  expect(status).toBe('ready');
  expect(app.tokens).toMatchObject([{ repositories: ['acme/shop'] }]);
  // Allowed, but not installed; installed, but not allowed.
  expect(await cloned('acme/docs')).toMatchObject({ status: 'failed' });
  expect(await cloned('acme/plans')).toMatchObject({ status: 'failed' });
  expect(app.tokens).toHaveLength(1);

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
  const pushed = await owner.ok('pushChatGit', { params, body: { message: 'Rename' } });
  expect(pushed).toMatchObject({ pushed: true, remote: { connection: 'github' }, problem: null });
  const opened = await owner.ok('createPullRequest', { params, body: { title: 'Rename' } });
  expect(opened).toMatchObject({ number: 1 });
  const shown = (await owner.ok('getChatGit', { params })).repositories[0];
  expect(shown).toMatchObject({ pull_request: { number: 1, state: 'open' }, problem: null });
  expect(new Set(app.tokens.flatMap(({ repositories }) => repositories))).toEqual(
    new Set(['acme/shop']),
  );
  const { username } = await owner.ok('getMe');
  const branch = pushed.branch ?? '';
  const author = await host.repositories.git('acme/shop', 'log', '-1', '--format=%an', branch);
  expect(author).toBe(username);

  // A user's own token takes precedence, even for repositories that the app does not allow.
  const issued = app.tokens.length;
  await stranger.ok('createGitConnection', {
    body: { host: host.host, kind: 'github', token: TOKEN },
  });
  expect(await cloned('acme/plans', stranger)).toMatchObject({ status: 'ready' });
  expect(app.tokens).toHaveLength(issued);

  const stored = `${logged.join('\n')}${await dump(databaseUrl)}`;
  for (const { token } of app.tokens) expect(stored.includes(token)).toBe(false);
  expect(stored.includes(app.privateKey.slice(100, 160))).toBe(false);
});
