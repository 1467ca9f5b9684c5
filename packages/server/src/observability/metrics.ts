import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  type Aggregator,
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database.ts';
import { databaseGauges } from './database-gauges.ts';

type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[];

/** The other processes of this server. `/metrics` of each reports all of them together. */
export interface MetricsPeers {
  shareMetrics(read: () => Promise<ProcessMetrics>): void;
  otherMetrics(): Promise<ProcessMetrics[]>;
}

/** Prometheus metrics. One registry per server, so that two servers in one process do not mix. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Histogram<'route' | 'method' | 'status'>;
  readonly #transitions: Counter<'command'>;
  readonly #refusals: Counter<'code'>;
  readonly #peers: MetricsPeers | undefined;
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });

  constructor(database: () => Database, peers?: MetricsPeers) {
    this.#peers = peers;
    peers?.shareMetrics(() => this.registry.getMetricsAsJSON());
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry, prefix: 'chatd_' });
    this.#delay.enable();
    this.#requests = new Histogram({
      name: 'chatd_http_request_duration_seconds',
      help: 'Duration of requests, by route, method and status',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    });
    this.#transitions = new Counter({
      name: 'chatd_chat_transitions_total',
      help: 'Committed changes to chats, by command',
      labelNames: ['command'],
      registers,
    });
    this.#refusals = new Counter({
      name: 'chatd_refusals_total',
      help: 'Refused requests, by error code',
      labelNames: ['code'],
      registers,
    });
    databaseGauges(this.registry, database);
    this.#gauge('chatd_database_connections', 'Database connections', () => {
      const { total, idle, waiting } = database().stats;
      return { busy: total - idle, idle, waiting_for_one: waiting };
    });
    const readDelay = () => {
      const { min, mean, max } = this.#delay;
      const p99 = this.#delay.percentile(99);
      this.#delay.reset();
      return Object.fromEntries(
        Object.entries({ min, mean, max, p99 }).map(([name, ns]) => [name, (ns || 0) / 1e9]),
      );
    };
    const help = 'Event loop delay since the last scrape';
    this.#gauge('chatd_event_loop_delay_seconds', help, readDelay, 'max');
  }

  request(route: string, method: string, status: number, seconds: number): void {
    this.#requests.observe({ route, method, status: String(status) }, seconds);
  }

  transition(change: Change): void {
    this.#transitions.inc({ command: change.command });
  }

  /** Codes come from fixed tables, so their number is limited. */
  refusal(code: string): void {
    this.#refusals.inc({ code });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  async text(): Promise<string> {
    if (this.#peers === undefined) return await this.registry.metrics();
    const [own, others] = await Promise.all([
      this.registry.getMetricsAsJSON(),
      this.#peers.otherMetrics(),
    ]);
    return await AggregatorRegistry.aggregate([own, ...others]).metrics();
  }

  close(): void {
    this.#delay.disable();
    this.registry.clear();
  }

  #gauge(
    name: string,
    help: string,
    read: () => Record<string, number>,
    aggregator: Aggregator = 'sum',
  ): void {
    const gauge: Gauge<'kind'> = new Gauge({
      name,
      help,
      aggregator,
      labelNames: ['kind'],
      registers: [],
      collect() {
        for (const [kind, value] of Object.entries(read())) gauge.set({ kind }, value);
      },
    });
    this.registry.registerMetric(gauge);
  }
}
