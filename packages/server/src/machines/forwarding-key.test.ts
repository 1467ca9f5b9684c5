import { expect, test } from 'vitest';
import { ForwardingKey } from './forwarding-key.ts';

const KEY = Buffer.alloc(32, 1);
const OLDER_KEY = Buffer.alloc(32, 2);
const CLAIM = { machineId: 'builder', replicaId: 'holder' };
const NOW = new Date('2027-01-15T08:00:00Z');
const after = (ms: number) => () => Promise.resolve(new Date(NOW.getTime() + ms));

const unread = () => Promise.reject(new Error('the time is not needed'));

test('a header is accepted once, for its machine and replica', async () => {
  const key = new ForwardingKey([KEY]);
  const header = key.sign(CLAIM, NOW);
  const elsewhere = { ...CLAIM, replicaId: 'another' };
  expect(await key.problemWith(header, elsewhere, after(0))).toContain('CHATD_SECRET_KEY');
  expect(await key.problemWith(header, CLAIM, after(1000))).toBeUndefined();
  expect(await key.problemWith(header, CLAIM, after(2000))).toBe('the request was repeated');
});

test.each([-31_000, 31_000])('a header is refused when the time differs by %i ms', async (ms) => {
  const key = new ForwardingKey([KEY]);
  const header = key.sign(CLAIM, NOW);
  expect(await key.problemWith(header, CLAIM, after(ms))).toBe('the request has expired');
});

test('older keys are accepted, others are refused without reading the time', async () => {
  const header = new ForwardingKey([OLDER_KEY]).sign(CLAIM, NOW);
  const rotated = new ForwardingKey([KEY, OLDER_KEY]);
  expect(await rotated.problemWith(header, CLAIM, after(0))).toBeUndefined();
  const other = new ForwardingKey([KEY]);
  expect(await other.problemWith(header, CLAIM, unread)).toContain('CHATD_SECRET_KEY');
  expect(await other.problemWith(undefined, CLAIM, unread)).toContain('CHATD_SECRET_KEY');
});
