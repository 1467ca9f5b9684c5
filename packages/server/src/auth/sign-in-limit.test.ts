import { expect, test } from 'vitest';
import { SignInLimit } from './sign-in-limit.ts';

const tries = (limit: SignInLimit, count: number, name = 'ann', address = 'a') =>
  Array.from({ length: count }, () => limit.begin(name, address));

test('ten tries of one name from one address, then a wait', () => {
  const limit = new SignInLimit(() => 0);
  expect(tries(limit, 10).every((wait) => wait === null)).toBe(true);
  expect(limit.begin('ANN', 'a')).toBe(900);
  expect(limit.begin('bob', 'a')).toBeNull();
  expect(limit.begin('ann', 'b')).toBeNull();
});

test('the wait ends', () => {
  let now = 0;
  const limit = new SignInLimit(() => now);
  tries(limit, 10);
  now = 899_000;
  expect(limit.begin('ann', 'a')).toBe(1);
  now = 900_000;
  expect(limit.begin('ann', 'a')).toBeNull();
});

test('success takes the tries back', () => {
  const limit = new SignInLimit(() => 0);
  tries(limit, 9);
  limit.begin('ann', 'a');
  limit.succeeded('ann', 'a');
  expect(tries(limit, 10).every((wait) => wait === null)).toBe(true);
});

test('many names from one address are limited, too', () => {
  const limit = new SignInLimit(() => 0);
  const waits = Array.from({ length: 101 }, (_, index) => limit.begin(`user-${index}`, 'a'));
  expect(waits.filter((wait) => wait === null)).toHaveLength(100);
});

test('whoever has a network of IPv6 is one, whichever of its addresses it calls from', () => {
  const limit = new SignInLimit(() => 0);
  const waits = Array.from({ length: 11 }, (_, index) => limit.begin('ann', `2001:db8::${index}`));
  expect(waits.filter((wait) => wait === null)).toHaveLength(10);
  expect(limit.begin('ann', '2001:db8:0:1::1')).toBeNull();
});

test('it does not grow without end', () => {
  const limit = new SignInLimit(() => 0);
  for (let index = 0; index < 30_000; index += 1) limit.begin('ann', `address ${index}`);
  expect(limit.begin('ann', 'another')).toBeNull();
});
