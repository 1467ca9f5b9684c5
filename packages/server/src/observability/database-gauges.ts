import { ChatStatus } from '@chatd/protocol';
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../store/database.ts';
import { countChatsByStatus } from '../store/queries/chats/find.ts';
import { countMachines } from '../store/queries/machines.ts';
import { readSchemaVersion } from '../store/queries/schema-migrations.ts';
import { CachedProbe } from './cached-probe.ts';

const TIMEOUT_MS = 1000;
/** Counting reads every chat. */
const COUNTS_KEPT_MS = 15_000;
const COUNTS_SHOWN_MS = 5 * 60_000;

/** Gauges that query the database, and whether it responds. */
export function databaseGauges(registry: Registry, database: () => Database): void {
  const registers = [registry];
  const answering = new CachedProbe(async () => await database().query(readSchemaVersion), {
    keptMs: 0,
    shownMs: TIMEOUT_MS,
    patienceMs: TIMEOUT_MS,
  });
  // Both gauges need it at the same time, and it is expensive.
  const counting = new CachedProbe(async () => await database().query(countChatsByStatus), {
    keptMs: COUNTS_KEPT_MS,
    shownMs: COUNTS_SHOWN_MS,
    patienceMs: TIMEOUT_MS,
  });

  const countingMachines = new CachedProbe(async () => await database().query(countMachines), {
    keptMs: COUNTS_KEPT_MS,
    shownMs: COUNTS_SHOWN_MS,
    patienceMs: TIMEOUT_MS,
  });

  const up: Gauge = new Gauge({
    name: 'chatd_database_up',
    help: 'Whether the database responds within a second: 1 or 0',
    aggregator: 'min',
    registers,
    collect: async () => up.set((await answering.value()) === undefined ? 0 : 1),
  });
  const chats: Gauge<'status'> = new Gauge({
    name: 'chatd_chats',
    help: 'Chats that are not deleted, by status',
    aggregator: 'max',
    labelNames: ['status'],
    registers,
    async collect() {
      const rows = await counting.value();
      chats.reset();
      if (rows === undefined) return;
      const counts = new Map(rows.map(({ status, count }) => [status, count]));
      for (const status of ChatStatus.options) chats.set({ status }, counts.get(status) ?? 0);
    },
  });
  const machines: Gauge<'status'> = new Gauge({
    name: 'chatd_machines',
    help: 'Machines that have connected before, by status, in the whole deployment',
    aggregator: 'max',
    labelNames: ['status'],
    registers,
    async collect() {
      const counts = (await countingMachines.value())?.[0];
      machines.reset();
      for (const [status, count] of Object.entries(counts ?? {})) machines.set({ status }, count);
    },
  });
  const queued: Gauge = new Gauge({
    name: 'chatd_chats_queued_for_capacity',
    help: 'Runnable chats that wait for capacity, in the whole deployment',
    aggregator: 'max',
    registers,
    async collect() {
      const rows = await counting.value();
      // Absent, not 0: unknown.
      if (rows === undefined) queued.remove();
      else queued.set(rows.reduce((sum, row) => sum + row.queued, 0));
    },
  });
}
