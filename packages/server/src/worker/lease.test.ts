import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunnerCommands } from '../store/commands/runner-commands.ts';
import { Lease } from './lease.ts';

const LEASE_MS = 2000;
let now = 0;
let reachable = true;

beforeEach(() => {
  now = 0;
  reachable = true;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => vi.restoreAllMocks());

const newLease = () =>
  new Lease({
    commands: {
      heartbeat: () => (reachable ? Promise.resolve([]) : Promise.reject(new Error('away'))),
    } as unknown as RunnerCommands,
    workerId: 'w',
    leaseMs: LEASE_MS,
    log: pino({ level: 'silent' }),
    onBeat: () => undefined,
  });

test('a worker that has just started can take over chats of a dead worker immediately', async () => {
  const lease = newLease();
  await lease.beat();
  expect(lease.maySeize).toBe(true);
});

test('after a database outage, no worker is considered dead for the length of a lease', async () => {
  const lease = newLease();
  await lease.beat();
  reachable = false;
  now = 600;
  await expect(lease.beat()).rejects.toThrow('away');
  reachable = true;
  now = 1200;
  await lease.beat();
  expect(lease.maySeize).toBe(false);
  for (now = 1700; now < 1200 + LEASE_MS; now += 500) {
    await lease.beat();
    expect(lease.maySeize).toBe(false);
  }
  await lease.beat();
  expect(lease.maySeize).toBe(true);
});

test('a worker that was frozen for a lease considers no worker dead, including itself', async () => {
  const lease = newLease();
  await lease.beat();
  now = 3 * LEASE_MS;
  expect(lease.maySeize).toBe(false);
  await lease.beat();
  expect(lease.maySeize).toBe(false);
  now += LEASE_MS / 2;
  await lease.beat();
  now += LEASE_MS / 2;
  await lease.beat();
  expect(lease.maySeize).toBe(true);
});
