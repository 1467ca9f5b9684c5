import { expect, test, vi } from 'vitest';
import { CachedProbe } from './cached-probe.ts';

const TIMES = { keptMs: 1_000_000, shownMs: 1_000_000, patienceMs: 1 };

test('concurrent readers share one probe, and its result is cached', async () => {
  const read = vi.fn<() => Promise<number>>().mockResolvedValue(7);
  const probe = new CachedProbe(read, { ...TIMES, patienceMs: 1_000_000 });
  expect(await Promise.all([probe.value(), probe.value()])).toEqual([7, 7]);
  expect(await probe.value()).toBe(7);
  expect(read).toHaveBeenCalledOnce();
});

test('a probe that does not finish does not block readers, and is not started twice', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const read = vi.fn<() => Promise<number>>().mockReturnValue(promise);
  const probe = new CachedProbe(read, TIMES);
  expect(await probe.value()).toBeUndefined();
  expect(await probe.value()).toBeUndefined();
  expect(read).toHaveBeenCalledOnce();
  resolve(7);
  await vi.waitFor(async () => expect(await probe.value()).toBe(7));
});

test('the last result is returned while a new probe is running', async () => {
  const read = vi.fn<() => Promise<number>>();
  read.mockResolvedValueOnce(7).mockReturnValue(new Promise(() => undefined));
  const probe = new CachedProbe(read, { ...TIMES, keptMs: 0 });
  await vi.waitFor(async () => expect(await probe.value()).toBe(7));
  expect(await probe.value()).toBe(7);
  expect(read.mock.calls.length).toBeGreaterThan(1);
});

test('a failed probe discards the previous result', async () => {
  const read = vi.fn<() => Promise<number>>();
  read.mockResolvedValueOnce(7).mockRejectedValue(new Error('away'));
  const probe = new CachedProbe(read, { ...TIMES, keptMs: 0, patienceMs: 1_000_000 });
  expect(await probe.value()).toBe(7);
  expect(await probe.value()).toBeUndefined();
});
