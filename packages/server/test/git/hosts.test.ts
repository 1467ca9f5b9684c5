import { ManualClock } from '@chatd/loop/testing';
import { startGitHost } from '@chatd/test-server/git';
import { MockAgent } from 'undici';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { GitHosts } from '../../src/git/hosts/git-hosts.ts';
import { ResponseCache } from '../../src/git/hosts/response-cache.ts';
import { guardedAgent } from '../../src/providers/fetch/guarded-agent.ts';

const TOKEN = 'token-of-the-api-0123456789';
const REPOSITORY = 'acme/shop';
const fake = await startGitHost(TOKEN);
await fake.repositories.create(REPOSITORY, { 'README.md': 'A shop.\n' });
const agent = guardedAgent(() => Promise.resolve(true));
afterAll(() => agent.destroy());

let clock = new ManualClock();
/** Each test passes its token to the host directly. */
const NONE = { token: () => Promise.reject(new Error('no connection')), isShared: () => false };
const open = (kind: 'github' | 'gitlab', token = TOKEN) => {
  const host = new GitHosts({ connections: NONE, dispatcher: agent, clock }).open(
    kind,
    fake.host,
    () => Promise.resolve(token),
  );
  if (host === undefined) throw new Error('no API');
  return host;
};

beforeEach(() => {
  clock = new ManualClock();
  fake.remaining = 5000;
  fake.forbidden = undefined;
  fake.requests.length = 0;
  fake.repositories.pulls(REPOSITORY).length = 0;
});

const wanted = { branch: 'next', base: 'main', title: 'Next', body: 'Text', draft: false };

test.each(['github', 'gitlab'] as const)(
  '%s: a pull request is opened, and found with its checks, reviews, and unresolved comments',
  async (kind) => {
    const host = open(kind);
    expect(await host.account()).toMatchObject({ login: 'ann', name: 'Ann Example' });
    expect(await host.defaultBranch(REPOSITORY)).toBe('main');
    expect(await host.find(REPOSITORY, 'next')).toBeUndefined();
    await host.create(REPOSITORY, wanted);
    const [pull] = fake.repositories.pulls(REPOSITORY);
    if (pull === undefined) throw new Error('not created');
    pull.checks = [
      { name: 'build', conclusion: 'success' },
      { name: 'test', conclusion: 'failure' },
      { name: 'deploy', conclusion: null },
    ];
    // More than one page.
    pull.reviews = [
      ...Array.from({ length: 120 }, (_, index) => ({ author: `r${index}`, state: 'APPROVED' })),
      { author: 'r0', state: 'CHANGES_REQUESTED' },
    ];
    pull.threads = [
      {
        isResolved: false,
        path: 'a.ts',
        line: 3,
        comments: [{ author: 'bob', body: 'Why?' }],
      },
      { isResolved: true, path: 'b.ts', line: 4, comments: [{ author: 'bob', body: 'Typo' }] },
    ];
    const found = await host.find(REPOSITORY, 'next');
    expect(found).toMatchObject({
      number: 1,
      title: 'Next',
      state: 'open',
      draft: false,
      base: 'main',
      checks: [
        { name: 'build', status: 'success' },
        { name: 'test', status: 'failure' },
        { name: 'deploy', status: 'pending' },
      ],
      comments: [{ author: 'bob', path: 'a.ts', line: 3, body: 'Why?' }],
    });
    if (kind === 'github') {
      expect(found?.reviews).toHaveLength(120);
      expect(found?.reviews).toContainEqual({ author: 'r0', decision: 'changes_requested' });
    }
    pull.state = 'merged';
    clock.advance(60_000);
    expect(await host.find(REPOSITORY, 'next')).toMatchObject({ state: 'merged', comments: [] });
  },
);

test('polling uses no rate limit while nothing changes: fresh responses are shared, stale ones revalidated', async () => {
  const host = open('gitlab');
  await host.create(REPOSITORY, wanted);
  await Promise.all([host.find(REPOSITORY, 'next'), host.find(REPOSITORY, 'next')]);
  const { remaining } = fake;
  const asked = fake.requests.length;
  await host.find(REPOSITORY, 'next');
  expect(fake.requests.length).toBe(asked);
  clock.advance(11_000);
  await host.find(REPOSITORY, 'next');
  expect(fake.remaining).toBe(remaining);
  const later = fake.requests.slice(asked);
  expect(later.length).toBeGreaterThan(0);
  expect(later.every(({ status }) => status === 304)).toBe(true);
});

test.each(['github', 'gitlab'] as const)('%s: an error gives the reason', async (kind) => {
  const host = open(kind);
  await host.create(REPOSITORY, wanted);
  await expect(host.create(REPOSITORY, wanted)).rejects.toMatchObject({
    code: 'git_host_refused',
    message: expect.stringContaining('already exists'),
  });
  await expect(host.find('acme/none', 'next')).rejects.toThrow('Check that the repository exists');
  await expect(open(kind, 'a-wrong-token').account()).rejects.toMatchObject({
    code: 'git_token_refused',
  });
});

test('after the rate limit is reached, no requests are sent until it resets', async () => {
  const host = open('github');
  fake.remaining = 1;
  await host.account();
  clock.advance(Date.now() - clock.now());
  await expect(host.defaultBranch(REPOSITORY)).rejects.toThrow('rate limit');
  const asked = fake.requests.length;
  await expect(host.defaultBranch(REPOSITORY)).rejects.toThrow('rate limit');
  expect(fake.requests.length).toBe(asked);
  fake.remaining = 5000;
  clock.advance(601_000);
  expect(await host.defaultBranch(REPOSITORY)).toBe('main');
});

const response = (length: number) => ({
  text: 'x'.repeat(length),
  etag: undefined,
  next: undefined,
  at: 0,
  changes: 0,
});

test('the response cache has a memory limit', () => {
  const cache = new ResponseCache(10_000);
  cache.set('a', response(1000));
  cache.set('b', response(1000));
  cache.set('a', response(1000));
  cache.set('c', response(1500));
  expect(['a', 'b', 'c'].filter((key) => cache.get(key) !== undefined)).toEqual(['a', 'c']);
  cache.set('d', response(100_000));
  expect(['a', 'c', 'd'].filter((key) => cache.get(key) !== undefined)).toEqual([]);
  cache.set('e', response(1000));
  expect(cache.get('e')).toBeDefined();
});

test('a host cannot request an endless pause', async () => {
  const mock = new MockAgent();
  mock.disableNetConnect();
  const pool = mock.get('https://git.example');
  pool
    .intercept({ path: '/api/v4/user' })
    .reply(429, '', { headers: { 'retry-after': '99999999999999' } });
  const host = new GitHosts({ connections: NONE, dispatcher: mock, clock }).open(
    'gitlab',
    'git.example',
    () => Promise.resolve(TOKEN),
  );
  await expect(host?.account()).rejects.toThrow('rate limit');
  await expect(host?.account()).rejects.toThrow('rate limit');
  clock.advance(61 * 60_000);
  pool.intercept({ path: '/api/v4/user' }).reply(200, { username: 'ann', id: 7, name: 'Ann' });
  expect(await host?.account()).toMatchObject({ login: 'ann' });
  await mock.close();
});

test('a pull request is shown without checks that the token cannot read', async () => {
  const host = open('github');
  expect(await host.create(REPOSITORY, wanted)).toMatchObject({ number: 1, state: 'open' });
  fake.forbidden = /\/check-runs$/;
  expect(await host.find(REPOSITORY, 'next')).toMatchObject({ number: 1, checks: [] });
});

test.each(['github', 'gitlab'] as const)(
  '%s: the open pull request of the branch is found, not a newer closed one or one of a fork',
  async (kind) => {
    const host = open(kind);
    fake.repositories.open(REPOSITORY, wanted);
    fake.repositories.open(REPOSITORY, wanted).state = 'closed';
    fake.repositories.open(REPOSITORY, { ...wanted, title: 'Theirs' }).isFromFork = true;
    expect(await host.find(REPOSITORY, 'next')).toMatchObject({ number: 1, state: 'open' });
  },
);

test('a pull request whose response was lost is found immediately', async () => {
  const host = open('github');
  expect(await host.find(REPOSITORY, 'next')).toBeUndefined();
  fake.onRequest = ({ method, url }, at) =>
    !(method === 'POST' && url.endsWith('/pulls') && at === 'done');
  await expect(host.create(REPOSITORY, wanted)).rejects.toMatchObject({
    code: 'git_host_unreachable',
  });
  fake.onRequest = undefined;
  expect(await host.find(REPOSITORY, 'next')).toMatchObject({ number: 1 });
});
