import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Sample } from '../../../../faults/soak/event-log.ts';
import { LOAD_KINDS } from '../../../../faults/soak/counts.ts';
import { EffectLedger } from '../../../../faults/soak/effect-ledger.ts';
import { slopePerHour, trend } from '../../../../faults/soak/trend.ts';
import { leaksIn, trendsOf } from '../../../../faults/soak/leaks.ts';
import { missingLoad } from '../../../../faults/soak/progress.ts';
import { between, seeded } from '../../../../faults/soak/random.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

/* How the soak test evaluates samples; soak.all.test.ts runs it. */

const MINUTE = 60_000;
const BOUNDS = { perHour: 60, share: 0.35 };

/** One hour of samples every five seconds that fluctuate like a heap. */
const hour = (value: (minute: number) => number) => {
  const random = seeded(7);
  return Array.from({ length: 720 }, (_, index) => ({
    atMs: index * 5000,
    value: value(index / 12) + between(random, 0, 80),
  }));
};

test('outliers do not affect the slope', () => {
  const points = [0, 1, 2, 3, 4, 5].map((at) => ({ atMs: at * MINUTE, value: at }));
  expect(slopePerHour(points)).toBeCloseTo(60);
  expect(slopePerHour(points.with(3, { atMs: 3 * MINUTE, value: 900 }))).toBeCloseTo(60);
});

test.each([
  ['steady growth', true, (minute: number) => 200 + minute * 2],
  ['stepwise growth', true, (minute: number) => 200 + Math.floor(minute / 5) * 10],
  ['fluctuation', false, () => 200],
  ['growth during the warm-up', false, (minute: number) => 200 + Math.min(minute, 18) * 10],
  ['slow growth', false, (minute: number) => 200 + minute * 0.5],
  ['a single increase', false, (minute: number) => (minute > 35 ? 300 : 200)],
])('%s is a leak: %s', (_, leaks, value) => {
  expect(trend(hour(value), BOUNDS)?.leaks).toBe(leaks);
});

const sample = (minute: number, handles: number, counts: Record<string, number>): Sample => ({
  atMs: minute * MINUTE,
  replicas: [{ rssMb: 200, heapMb: 80, handles, lagMs: 1 }, null],
  database: { sizeMb: 1, connections: 1, deadRows: 0, walMb: 1 },
  counts,
  ownRssMb: 1,
});
const all = (count: number) => Object.fromEntries(LOAD_KINDS.map((kind) => [kind, count]));
const faults = [{ atMs: 0, what: 'kill -9' as const }];
const minutes = (count: number) => Array.from({ length: count + 1 }, (_, minute) => minute);
const leaksOf = (handles: (minute: number) => number) =>
  leaksIn(trendsOf(minutes(60).map((minute) => sample(minute, handles(minute), all(minute)))));

test('handles that are never closed are a leak', () => {
  expect(leaksOf((minute) => 40 + minute)).toEqual([expect.stringContaining('handles')]);
  expect(leaksOf((minute) => 40 + (minute % 7))).toEqual([]);
});

test('short runs are not checked for leaks', () => {
  const short = minutes(10).map((minute) => sample(minute, 40 + 100 * minute, all(minute)));
  expect(trendsOf(short)).toEqual({});
});

test('a kind of load that never occurred or that stopped is reported', () => {
  const run = minutes(30).map((minute) => sample(minute, 40, all(minute)));
  expect(missingLoad(run, faults)).toEqual([]);
  expect(missingLoad([], faults)).toHaveLength(1);
  expect(missingLoad(run, [])).toEqual(['no fault was injected']);
  const without = run.map((one) => ({ ...one, counts: { ...one.counts, subagents: 0 } }));
  expect(missingLoad(without, faults)).toEqual(['there were no subagents']);
  const halted = run.map((one) => ({
    ...one,
    counts: { ...one.counts, interrupts: Math.min(12, one.counts['interrupts'] ?? 0) },
  }));
  expect(missingLoad(halted, faults)).toEqual(['there were no interrupts in the last third']);
});

test('an effect after the check of its chat remains', async () => {
  const file = join(await makeTemporaryDirectory(), 'effects.jsonl');
  const ledger = new EffectLedger(file);
  const effect = (key: string, what: string) =>
    appendFile(file, `${JSON.stringify({ key, what, pid: 1, at: 0 })}\n`);
  expect(await ledger.take(['m-1'])).toEqual([]);
  await effect('m-1/0', 'begin');
  await effect('m-2/0', 'begin');
  expect(await ledger.take(['m-1'])).toHaveLength(1);
  expect(await ledger.take(['m-1'])).toEqual([]);
  await effect('m-1/0', 'end');
  const left = await ledger.remaining();
  expect(left.map(({ key }) => key).toSorted()).toEqual(['m-1/0', 'm-2/0']);
  await ledger.close();
});
