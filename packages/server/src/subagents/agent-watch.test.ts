import { ManualClock } from '@chatd/loop/testing';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MemoryBus } from '../bus/memory-bus.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';
import { AgentWatch, POLL_MS } from './agent-watch.ts';

const bus = new MemoryBus(pino({ level: 'silent' }));
let clock: ManualClock;
let watch: AgentWatch;
let looks = 0;
let found: string | undefined;

const look = () => {
  looks += 1;
  return Promise.resolve(found);
};
const until = (timeoutMs: number, signal = new AbortController().signal) =>
  watch.until(['agent'], timeoutMs, signal, look);

beforeEach(async () => {
  clock = new ManualClock();
  watch = new AgentWatch(bus, clock);
  looks = 0;
  found = undefined;
  await watch.start();
});
afterEach(() => watch.close());

test('an available result is returned without waiting', async () => {
  found = 'done';
  expect(await until(60_000)).toBe('done');
  expect(looks).toBe(1);
});

test('a change of the agent ends the wait, a change of another chat does not', async () => {
  const waiting = until(60_000);
  await clock.waiting(POLL_MS);
  bus.publish('changes', { id: 'other' });
  found = 'done';
  bus.publish('changes', { id: 'agent' });
  expect(await waiting).toBe('done');
  expect(looks).toBe(2);
});

test('after a lost notification, the next poll finds the result', async () => {
  const waiting = until(60_000);
  await clock.waiting(POLL_MS);
  found = 'done';
  clock.advance(POLL_MS);
  expect(await waiting).toBe('done');
});

test('the wait times out after a last check', async () => {
  const waiting = until(POLL_MS + 1000);
  await clock.waiting(POLL_MS);
  clock.advance(POLL_MS);
  await clock.waiting(1000);
  clock.advance(1000);
  expect(await waiting).toBeUndefined();
  expect(looks).toBe(3);
});

test('an abort ends the wait with its reason', async () => {
  const stop = new AbortController();
  const waiting = until(60_000, stop.signal);
  await clock.waiting(POLL_MS);
  stop.abort(new Error('interrupted'));
  await expect(waiting).rejects.toThrow('interrupted');
});

test('the wait continues while the database is unavailable', async () => {
  let away = true;
  const waiting = watch.until(['agent'], 60_000, new AbortController().signal, () =>
    away ? Promise.reject(new DatabaseUnavailable('away')) : Promise.resolve('done'),
  );
  await clock.waiting(POLL_MS);
  away = false;
  clock.advance(POLL_MS);
  expect(await waiting).toBe('done');
});
