import { beforeEach, expect, test } from 'vitest';
import { SignInAttempts } from '../../src/limits/sign-in-attempts.ts';
import { purgeSignInAttempts } from '../../src/store/queries/sign-in-attempts.ts';
import { statement } from '../../src/store/statement.ts';
import { execute, TestStore } from '@chatd/test-server/database';

const store = await TestStore.open();
const attempts = new SignInAttempts(store.database);
beforeEach(() => execute(store.url, 'TRUNCATE sign_in_attempts'));

/** Number of admitted attempts. */
async function admitted(
  count: number,
  of: (index: number) => { readonly name?: string; readonly address?: string },
  at = attempts,
): Promise<number> {
  let number = 0;
  for (let index = 0; index < count; index += 1) {
    const { name = 'ann', address = '192.0.2.1' } = of(index);
    const isAdmitted = await at.begin(name, address).then(
      () => true,
      () => false,
    );
    if (isAdmitted) number += 1;
  }
  return number;
}

const address = (index: number) => `198.51.${Math.floor(index / 250)}.${index % 250}`;

const countRows = statement<null, { rows: number }>(
  'test-count-sign-in-attempts',
  `SELECT count(*) AS rows FROM sign_in_attempts`,
);

test('an address has ten attempts at one account, in any spelling of its name', async () => {
  expect(await admitted(10, () => ({}))).toBe(10);
  await expect(attempts.begin('ANN', '192.0.2.1')).rejects.toMatchObject({
    code: 'too_many_requests',
    message: expect.stringContaining('Too many failed sign-ins. Try again in '),
  });
  await attempts.begin('ben', '192.0.2.1');
  await attempts.begin('ann', '192.0.2.2');
});

test('the wait is the rest of the window', async () => {
  await admitted(10, () => ({}));
  await execute(store.url, `UPDATE sign_in_attempts SET window_ends = now() + interval '60 s'`);
  const error: unknown = await attempts
    .begin('ann', '192.0.2.1')
    .catch((reason: unknown) => reason);
  const { retryAfterSeconds } = error as { retryAfterSeconds: number };
  expect(retryAfterSeconds).toBeGreaterThan(0);
  expect(retryAfterSeconds).toBeLessThanOrEqual(60);
  await execute(store.url, `UPDATE sign_in_attempts SET window_ends = now()`);
  expect(await admitted(11, () => ({}))).toBe(10);
});

test('attempts with made-up names do not evict the count of a real account', async () => {
  await admitted(10, () => ({}));
  // More than the 10,000 entries of an earlier in-memory map.
  await execute(
    store.url,
    `INSERT INTO sign_in_attempts
     SELECT scope, bucket, 1, now() + interval '15 minutes'
       FROM unnest(ARRAY['account', 'account_at_address']) AS scope, generate_series(0, 20000) AS bucket
     ON CONFLICT DO NOTHING`,
  );
  expect(await admitted(5, () => ({}))).toBe(0);
});

test('an address has 100 attempts in total', async () => {
  expect(await admitted(105, (index) => ({ name: `user-${index}` }))).toBe(100);
});

test('an account has 100 attempts from all addresses', async () => {
  expect(await admitted(105, (index) => ({ address: address(index) }))).toBe(100);
});

test('refused attempts of one address do not use up the attempts of an account', async () => {
  expect(await admitted(200, () => ({}))).toBe(10);
  expect(await admitted(10, () => ({ address: '192.0.2.2' }))).toBe(10);
});

test('a /64 network of IPv6 counts as one address', async () => {
  expect(await admitted(11, (index) => ({ address: `2001:db8::${index + 1}` }))).toBe(10);
  await attempts.begin('ann', '2001:db8:0:1::1');
});

test('a successful sign-in resets the attempts of its address at the account', async () => {
  await admitted(10, () => ({}));
  await attempts.succeeded('ann', '192.0.2.1');
  expect(await admitted(11, () => ({}))).toBe(10);
  await attempts.succeeded('nobody', '192.0.2.9');
});

test('parallel attempts on two replicas are counted together', async () => {
  const other = new SignInAttempts((await TestStore.open(store.url)).database);
  const results = await Promise.all([
    ...Array.from({ length: 12 }, () => admitted(1, () => ({}))),
    ...Array.from({ length: 12 }, () => admitted(1, () => ({}), other)),
  ]);
  expect(results.reduce((sum, one) => sum + one, 0)).toBe(10);
});

test('housekeeping deletes only counts whose window has ended', async () => {
  await attempts.begin('ann', '192.0.2.1');
  await execute(store.url, `UPDATE sign_in_attempts SET window_ends = now()`);
  await attempts.begin('ben', '192.0.2.2');
  await store.database.query(purgeSignInAttempts, { limit: 100 });
  expect(await store.database.query(countRows)).toEqual([{ rows: 3 }]);
});
