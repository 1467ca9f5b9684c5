import { type Aggregator, Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { BusStats } from '../bus/bus.ts';
import type { StreamStats } from '../stream/stats.ts';

export interface MetricSources {
  readonly running: () => number;
  readonly migrationsWaiting: () => number;
  readonly bus: { readonly stats: Readonly<BusStats> };
  readonly streams: { readonly stats: StreamStats };
  readonly debugRecord: { readonly stats: DebugRecordStats };
  /** Undefined: workspaces are disabled. */
  readonly machines: { readonly stats: MachineCounts } | undefined;
}

export interface MachineCounts {
  readonly connected: number;
  readonly forwarded: number;
  readonly sent: number;
  readonly received: number;
  readonly reattached: number;
  readonly recovered: number;
  readonly lost: number;
  readonly pings: number;
  readonly pingMs: number;
}

export interface DebugRecordStats {
  readonly written: number;
  readonly dropped: number;
}

/** Metrics of other components of this process, read on each scrape. */
export function pullMetrics(registry: Registry, counted: MetricSources) {
  const { running, migrationsWaiting, bus, streams, debugRecord, machines } = counted;
  const gauge = (
    name: string,
    help: string,
    read: () => number,
    aggregator: Aggregator = 'sum',
  ) => {
    const made: Gauge = new Gauge({
      name,
      help,
      aggregator,
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

  gauge('chatd_chats_running', 'Chats running in this process', running);
  gauge(
    'chatd_migrations_waiting',
    'Migrations that wait for replicas of older versions to stop',
    migrationsWaiting,
    'max',
  );

  const open: Gauge<'transport'> = new Gauge({
    name: 'chatd_stream_clients',
    help: 'Clients that follow chats or lists of chats',
    labelNames: ['transport'],
    registers: [registry],
    collect() {
      open.set({ transport: 'sse' }, streams.stats.open.sse);
      open.set({ transport: 'websocket' }, streams.stats.open.websocket);
    },
  });
  gauge(
    'chatd_stream_watching',
    'Clients that follow a list of chats',
    () => streams.stats.watching,
  );
  gauge('chatd_stream_chats', 'Chats followed in this process', () => streams.stats.chats);
  gauge(
    'chatd_stream_relayed_chats',
    'Followed chats that run in another process',
    () => streams.stats.relayed,
  );
  counter('chatd_stream_events_total', 'Events sent to clients', () => streams.stats.events);
  counter(
    'chatd_stream_lookups_total',
    'Database reads for committed changes, one for all clients of a chat',
    () => streams.stats.lookups,
  );
  counter(
    'chatd_stream_resyncs_total',
    'Clients that fell behind and caught up',
    () => streams.stats.resyncs,
  );
  counter(
    'chatd_stream_merged_total',
    'Deltas merged with others into one event',
    () => streams.stats.merged,
  );
  counter(
    'chatd_stream_slow_closes_total',
    'Clients disconnected because they read too slowly',
    () => streams.stats.slowCloses,
  );

  counter('chatd_bus_published_total', 'Messages sent by this process', () => bus.stats.published);
  counter(
    'chatd_bus_received_total',
    'Messages received from other processes',
    () => bus.stats.received,
  );
  counter(
    'chatd_bus_dropped_total',
    'Messages that this process could not send',
    () => bus.stats.dropped,
  );
  counter(
    'chatd_bus_reconnects_total',
    'Bus connections that were lost and replaced',
    () => bus.stats.reconnects,
  );

  counter(
    'chatd_debug_records_total',
    'Model calls recorded for debugging',
    () => debugRecord.stats.written,
  );
  counter(
    'chatd_debug_records_dropped_total',
    'Model calls dropped from the debug record because of load or space',
    () => debugRecord.stats.dropped,
  );

  if (machines === undefined) return;
  gauge(
    'chatd_machine_connections',
    'Machines whose connections this process holds',
    () => machines.stats.connected,
  );
  gauge(
    'chatd_machine_forwards',
    'Machines that this process uses through another replica',
    () => machines.stats.forwarded,
  );
  counter('chatd_machine_sent_bytes_total', 'Bytes sent to machines', () => machines.stats.sent);
  counter(
    'chatd_machine_received_bytes_total',
    'Bytes received from machines',
    () => machines.stats.received,
  );
  counter('chatd_machine_pings_total', 'Answered pings to machines', () => machines.stats.pings);
  counter(
    'chatd_machine_ping_seconds_total',
    'Sum of the round-trip times of pings to machines',
    () => machines.stats.pingMs / 1000,
  );
  counter(
    'chatd_machine_reattachments_total',
    'Commands that were followed over another connection',
    () => machines.stats.reattached,
  );
  counter(
    'chatd_machine_recovered_calls_total',
    'Commands whose results were obtained although their connection or replica was lost',
    () => machines.stats.recovered,
  );
  counter(
    'chatd_machine_lost_calls_total',
    'Calls with an unknown outcome because their machine restarted',
    () => machines.stats.lost,
  );
}

/** Time from a commit to the event for the followers of its chat. */
export const streamLag = (registry: Registry): Histogram =>
  new Histogram({
    name: 'chatd_stream_lag_seconds',
    help: 'Time from a commit to its event for clients',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
