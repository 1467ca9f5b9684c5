import { expect, test } from 'vitest';
import type { Caller } from '../auth/caller.ts';
import { RequestLimits, type RequestLimitsOptions, type SpendingPeers } from './request-limits.ts';

const OPTIONS: RequestLimitsOptions = {
  pointsPerMinute: 480,
  concurrency: 4,
  databaseConnections: 20,
  now: () => 0,
};

const limitsWith = (over: Partial<RequestLimitsOptions> = {}) =>
  new RequestLimits({ ...OPTIONS, ...over });

const callerOf = (user: string, tokenId: string): Caller => ({
  user: {
    id: user,
    username: user,
    role: 'member',
    has_password: false,
    suspended: false,
    spend_limit_micros: null,
    created_at: new Date(0),
  },
  scopes: null,
  expiresAt: null,
  tokenId,
  session: null,
});

const request = (user: string, token = user, query: Record<string, unknown> = {}) => ({
  caller: callerOf(user, token),
  exchange: { address: '192.0.2.1', isGone: false },
  query,
});

/** Runs a search to its end. */
const search = async (limits: RequestLimits, token: string, user = 'ann') =>
  (await limits.admit('listChats', request(user, token, { q: 'word' })))();

test('a token has half of the points of its user, and the tokens of a user share the budget', async () => {
  const limits = limitsWith();
  await search(limits, 'a');
  await search(limits, 'a');
  await expect(search(limits, 'a')).rejects.toThrow('a token or session has 240 points per minute');
  await search(limits, 'b');
  await search(limits, 'b');
  await expect(search(limits, 'c')).rejects.toMatchObject({
    message:
      'Rate limit reached: a user has 480 points per minute, and this request costs 20. Try again in 3 seconds.',
    retryAfterSeconds: 3,
  });
  await search(limits, 'd', 'ben');
});

test('a request reports the remaining points, even if it is refused', async () => {
  const limits = limitsWith();
  const stated = async () => {
    const exchange = { address: '192.0.2.1', isGone: false, rateLimit: {} };
    const admitted = limits.admit('listChats', { ...request('ann'), exchange, query: { q: 'x' } });
    const refused = await admitted.then(
      (leave) => leave(),
      () => 'refused',
    );
    return { refused, ...exchange.rateLimit };
  };
  expect(await stated()).toEqual({
    refused: undefined,
    'ratelimit-policy': '"requests-per-user";q=80;w=10, "requests-per-credential";q=40;w=10',
    ratelimit: '"requests-per-user";r=60;t=3, "requests-per-credential";r=20;t=5',
  });
  await stated();
  expect(await stated()).toMatchObject({
    refused: 'refused',
    ratelimit: '"requests-per-user";r=40;t=5, "requests-per-credential";r=0;t=10',
  });
});

test('processes that share their spending have one budget', async () => {
  type Spending = Parameters<Parameters<SpendingPeers['onSpent']>[0]>[0];
  const listeners: ((spending: Spending) => void)[] = [];
  const peers = (own: number): SpendingPeers => ({
    spent: (...spending) => listeners.forEach((tell, index) => index !== own && tell([spending])),
    onSpent: (listener) => listeners.push(listener),
  });
  const [first, second] = [limitsWith({ peers: peers(0) }), limitsWith({ peers: peers(1) })];
  await search(first, 'a');
  await search(second, 'a');
  await expect(search(first, 'a')).rejects.toThrow('a token or session has 240 points per minute');
  await search(second, 'b');
  await search(first, 'b');
  await expect(search(second, 'c')).rejects.toThrow('a user has 480 points per minute');
  await search(second, 'd', 'ben');
});

test('a refused request costs nothing', async () => {
  const limits = limitsWith();
  await search(limits, 'a');
  await search(limits, 'a');
  for (let index = 0; index < 5; index += 1) {
    await expect(search(limits, 'a')).rejects.toMatchObject({ retryAfterSeconds: 5 });
  }
});

test('a list of chats without a search is free', async () => {
  const limits = limitsWith({ pointsPerMinute: 1 });
  for (let index = 0; index < 100; index += 1) await limits.admit('listChats', request('ann'));
});

test('starting turns has a separate budget', async () => {
  const limits = limitsWith();
  const send = async () => (await limits.admit('sendMessage', request('ann', 'a')))();
  for (let index = 0; index < 4; index += 1) await send();
  await expect(send()).rejects.toThrow('a token or session has 240 points per minute');
  await search(limits, 'a');
});

test('a user opens few streams at a time, without refusals, and others do not wait for them', async () => {
  const limits = limitsWith();
  let open = 0;
  const openStream = async (user: string) => {
    const leave = await limits.admit('streamChat', request(user));
    open += 1;
    return leave;
  };
  const waiting = Array.from({ length: 500 }, () => openStream('ann'));
  (await openStream('ben'))();
  expect(open).toBe(3);
  for (const stream of waiting) (await stream)();
  expect(open).toBe(501);
});

test('0 points per minute turn the rate limit off', async () => {
  const limits = limitsWith({ pointsPerMinute: 0 });
  for (let index = 0; index < 100; index += 1) await search(limits, 'a');
});

test('expensive queries take at most half of the database connections', async () => {
  const limits = limitsWith({ databaseConnections: 4, pointsPerMinute: 0 });
  const started: string[] = [];
  const send = async (user: string) => {
    const leave = await limits.admit('getUsage', request(user));
    started.push(user);
    return leave;
  };
  const first = await send('ann');
  await send('ben');
  const third = send('eve');
  await Promise.resolve();
  expect(started).toEqual(['ann', 'ben']);
  first();
  await third;
  expect(started).toEqual(['ann', 'ben', 'eve']);
});

test('the request of a disconnected client releases its slot', async () => {
  const limits = limitsWith({ databaseConnections: 2, pointsPerMinute: 0 });
  const exchange = { address: '192.0.2.1', isGone: true };
  const gone = limits.admit('getUsage', { ...request('ann'), exchange });
  await expect(gone).rejects.toThrow('The client closed the connection');
  await limits.admit('getUsage', request('ben'));
});
