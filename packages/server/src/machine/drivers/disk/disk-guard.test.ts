import { pino } from 'pino';
import { expect, test } from 'vitest';
import { DiskGuard } from './disk-guard.ts';

const MB = 1024 * 1024;

/** A disk guard with simulated disk usage. */
function disk({ free = 1000, reserveMb = 100, workspaceMb = 50 } = {}) {
  const state = { free, used: new Map<string, number>() };
  const guard = new DiskGuard({
    log: pino({ level: 'silent' }),
    workspaceMb,
    reserveMb,
    space: {
      free: () => Promise.resolve(state.free * MB),
      usedBy: (folder) => Promise.resolve((state.used.get(folder) ?? 0) * MB),
    },
  });
  const stopped = new Map<string, string>();
  const open = (id: string, limitMb = guard.limitOf(undefined)) =>
    guard.watch({ id, folder: id, limitMb, stop: (why) => stopped.set(id, why) });
  return { state, guard, stopped, open };
}

test('a workspace that exceeds its limit is stopped, and others continue', async () => {
  const { state, guard, stopped, open } = disk();
  await Promise.all([open('large').refusal(), open('small').refusal()]);
  state.used.set('large', 51).set('small', 49);
  await guard.checkLimits();
  expect([...stopped]).toEqual([
    ['large', 'the workspace uses 51 MB of disk space, and its limit is 50 MB'],
  ]);
});

test('a workspace opened over its limit stays open for deletions, and can write again when it has space', async () => {
  const { state, guard, stopped, open } = disk();
  state.used.set('one', 60);
  const one = open('one');
  expect(await one.refusal()).toContain('its limit is 50 MB');
  await guard.checkLimits();
  expect(stopped.size).toBe(0);
  state.used.set('one', 10);
  expect(await one.refusal()).toBeUndefined();
});

test('a template can set its own limit, and 0 means no limit', async () => {
  const own = disk();
  expect(own.guard.limitOf(7)).toBe(7);
  const none = disk({ workspaceMb: 0 });
  none.state.used.set('one', 1_000_000);
  expect(await none.open('one').refusal()).toBeUndefined();
});

test('a workspace with too many files to measure is over its limit', async () => {
  const { state, open } = disk();
  state.used.set('one', Infinity);
  expect(await open('one').refusal()).toContain('too many files to measure');
});

test('writes are refused before the reserve of the database is used', async () => {
  const { state, guard, open } = disk();
  const one = open('one');
  expect(await one.refusal()).toBeUndefined();
  state.free = 99;
  expect(await one.refusal()).toBe(
    'the disk has 99 MB left, and 100 MB are kept free (CHATD_DISK_RESERVE_MB)',
  );
  expect(await guard.shortage()).toBeDefined();
});

test('when disk space is low, the workspace that writes is stopped first, then all of them', async () => {
  const { state, guard, stopped, open } = disk();
  await Promise.all([open('writer').refusal(), open('idle').refusal()]);
  state.free = 90;
  state.used.set('writer', 30).set('idle', 1);
  await guard.checkFree();
  expect([...stopped.keys()]).toEqual(['writer']);
  state.free = 40;
  await guard.checkFree();
  expect([...stopped.keys()]).toEqual(['writer', 'idle']);
});
