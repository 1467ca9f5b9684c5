import { newMachineStats } from '../../src/machines/machine-stats.ts';
import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { newStats } from '../../src/bus/bus.ts';
import { Metrics } from '../../src/observability/metrics.ts';
import { pullMetrics, streamLag } from '../../src/observability/pulled-metrics.ts';
import { RunMetrics } from '../../src/observability/run-metrics.ts';

const DOCS = new URL('../../../../docs/observability.md', import.meta.url);
const docs = await readFile(DOCS, 'utf8');

const metrics = new Metrics(() => {
  throw new Error('no test reads values');
});
afterAll(() => metrics.close());
const { registry } = metrics;
const streams = {
  open: { sse: 0, websocket: 0 },
  watching: 0,
  chats: 0,
  relayed: 0,
  events: 0,
  lookups: 0,
  resyncs: 0,
  merged: 0,
  slowCloses: 0,
};
pullMetrics(registry, {
  running: () => 0,
  migrationsWaiting: () => 0,
  bus: { stats: newStats() },
  streams: { stats: streams },
  debugRecord: { stats: { written: 0, dropped: 0 } },
  machines: { stats: newMachineStats() },
});
streamLag(registry);
void new RunMetrics(registry);

const own = registry
  .getMetricsAsArray()
  .map(({ name }) => name)
  .filter((name) => !/^chatd_(process|nodejs)_/.test(name));

test.each(own)('%s is documented', (name) => {
  expect(docs).toMatch(new RegExp(`\`${name}[\`{]`));
});

/** The files that name metrics. */
const FILES = [
  'docs/observability.md',
  'deploy/prometheus/alerts.yaml',
  'deploy/grafana/chatd.json',
];

test.each(FILES)('%s names only existing metrics', async (file) => {
  const text = await readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8');
  const all = new Set(registry.getMetricsAsArray().map(({ name }) => name));
  const named = [...text.matchAll(/\bchatd_\w+/g)]
    .map(([name]) => name.replace(/_(?:bucket|count|sum)$/, ''))
    .filter((name) => !/^chatd_(?:(?:process|nodejs)_)?$/.test(name));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !all.has(name))).toEqual([]);
});
