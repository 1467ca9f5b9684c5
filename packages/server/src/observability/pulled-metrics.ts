import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { BusStats } from '../bus/bus.ts';
import type { StreamStats } from '../stream/stats.ts';

/** Parts of the server that count for themselves. */
export interface MetricSources {
  readonly running: () => number;
  readonly migrationsWaiting: () => number;
  readonly bus: { readonly stats: Readonly<BusStats> };
  readonly streams: { readonly stats: StreamStats };
  readonly debugRecord: { readonly stats: DebugRecordStats };
}

export interface DebugRecordStats {
  readonly written: number;
  readonly dropped: number;
}

/** What others count, read when somebody looks. All of it is of this process. */
export function pullMetrics(registry: Registry, counted: MetricSources) {
  const { running, migrationsWaiting, bus, streams, debugRecord } = counted;
  const gauge = (name: string, help: string, read: () => number) => {
    const made: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: () => made.set(read()),
    });
  };
  const counter = (name: string, help: string, read: () => number) => {
    const made: Counter = new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        made.reset();
        made.inc(read());
      },
    });
  };

  gauge('chatd_chats_running', 'Chats that run in this process', running);
  gauge(
    'chatd_migrations_waiting',
    'Migrations that wait until replicas of older versions are gone',
    migrationsWaiting,
  );

  const open: Gauge<'transport'> = new Gauge({
    name: 'chatd_stream_clients',
    help: 'Clients that follow chats or lists of them',
    labelNames: ['transport'],
    registers: [registry],
    collect() {
      open.set({ transport: 'sse' }, streams.stats.open.sse);
      open.set({ transport: 'websocket' }, streams.stats.open.websocket);
    },
  });
  gauge(
    'chatd_stream_watching',
    'Of those, clients that follow a list',
    () => streams.stats.watching,
  );
  gauge('chatd_stream_chats', 'Chats that somebody follows here', () => streams.stats.chats);
  gauge(
    'chatd_stream_relayed_chats',
    'Of those, chats that run in another process',
    () => streams.stats.relayed,
  );
  counter('chatd_stream_events_total', 'Events sent to clients', () => streams.stats.events);
  counter(
    'chatd_stream_lookups_total',
    'Reads of the database for committed changes, one for all clients of a chat',
    () => streams.stats.lookups,
  );
  counter(
    'chatd_stream_resyncs_total',
    'Clients that fell behind and were caught up',
    () => streams.stats.resyncs,
  );
  counter(
    'chatd_stream_merged_total',
    'Deltas that reached a client as one event with others',
    () => streams.stats.merged,
  );
  counter(
    'chatd_stream_slow_closes_total',
    'Clients that read too slowly and were let go',
    () => streams.stats.slowCloses,
  );

  counter('chatd_bus_published_total', 'Messages of this process', () => bus.stats.published);
  counter('chatd_bus_received_total', 'Messages of other processes', () => bus.stats.received);
  counter(
    'chatd_bus_dropped_total',
    'Messages of this process that did not get away',
    () => bus.stats.dropped,
  );
  counter(
    'chatd_bus_reconnects_total',
    'Connections of the bus that were lost and replaced',
    () => bus.stats.reconnects,
  );

  counter(
    'chatd_debug_records_total',
    'Model calls that were put on the debug record',
    () => debugRecord.stats.written,
  );
  counter(
    'chatd_debug_records_dropped_total',
    'Model calls that should be on the debug record and are not, for want of time or space',
    () => debugRecord.stats.dropped,
  );
}

/** How long a committed change took to those who follow its chat. */
export const streamLag = (registry: Registry): Histogram =>
  new Histogram({
    name: 'chatd_stream_lag_seconds',
    help: 'From a commit to the event that tells clients of it',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
