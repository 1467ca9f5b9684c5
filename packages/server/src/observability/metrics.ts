import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ChatStatus } from '@chatd/protocol';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database.ts';
import { countChatsByStatus } from '../store/queries/count-chats-by-status.ts';

const COUNTS_KEPT_MS = 15_000;

/** What an operator watches, in Prometheus' terms. One registry per server, so that two in one process do not mix. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Histogram<'route' | 'method' | 'status'>;
  readonly #transitions: Counter<'command'>;
  readonly #refusals: Counter<'code'>;
  readonly #chats: Gauge<'status'>;
  readonly #queued: Gauge;
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | undefined;

  constructor(database: () => Database) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry, prefix: 'chatd_' });
    this.#delay.enable();
    this.#requests = new Histogram({
      name: 'chatd_http_request_duration_seconds',
      help: 'Requests by route, method and status, and how long they took',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    });
    this.#transitions = new Counter({
      name: 'chatd_chat_transitions_total',
      help: 'Committed changes of chats, by command',
      labelNames: ['command'],
      registers,
    });
    this.#refusals = new Counter({
      name: 'chatd_refusals_total',
      help: 'Requests that were refused, by problem code',
      labelNames: ['code'],
      registers,
    });
    this.#chats = new Gauge({
      name: 'chatd_chats',
      help: 'Chats that are not deleted, by status',
      labelNames: ['status'],
      registers,
      collect: () => this.#countChats(database()),
    });
    this.#queued = new Gauge({
      name: 'chatd_chats_queued_for_capacity',
      help: 'Chats that should run and wait for room, in the whole deployment',
      registers,
      collect: () => this.#countChats(database()),
    });
    this.#gauge('chatd_database_connections', 'Connections to the database', () => {
      const { total, idle, waiting } = database().stats;
      return { busy: total - idle, idle, waiting_for_one: waiting };
    });
    this.#gauge(
      'chatd_event_loop_delay_seconds',
      'How late timers are, since the last look',
      () => {
        const { min, mean, max } = this.#delay;
        const p99 = this.#delay.percentile(99);
        this.#delay.reset();
        return Object.fromEntries(
          Object.entries({ min, mean, max, p99 }).map(([name, ns]) => [name, (ns || 0) / 1e9]),
        );
      },
    );
  }

  request(route: string, method: string, status: number, seconds: number): void {
    this.#requests.observe({ route, method, status: String(status) }, seconds);
  }

  transition(change: Change): void {
    this.#transitions.inc({ command: change.command });
  }

  /** Codes come from the table of problems and of fields: few enough to be labels. */
  refusal(code: string): void {
    this.#refusals.inc({ code });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  async text(): Promise<string> {
    return await this.registry.metrics();
  }

  close(): void {
    this.#delay.disable();
    this.registry.clear();
  }

  #gauge(name: string, help: string, read: () => Record<string, number>): void {
    const gauge: Gauge<'kind'> = new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers: [],
      collect() {
        for (const [kind, value] of Object.entries(read())) gauge.set({ kind }, value);
      },
    });
    this.registry.registerMetric(gauge);
  }

  /** Both gauges ask for it at the same time, and it is not cheap. */
  async #countChats(database: Database): Promise<void> {
    if (performance.now() - this.#countedAt < COUNTS_KEPT_MS) return;
    this.#counting ??= this.#count(database).finally(() => {
      this.#counting = undefined;
    });
    await this.#counting;
  }

  async #count(database: Database): Promise<void> {
    const rows = await database.query(countChatsByStatus);
    const counts = new Map(rows.map(({ status, count }) => [status, count]));
    for (const status of ChatStatus.options) this.#chats.set({ status }, counts.get(status) ?? 0);
    this.#queued.set(rows.reduce((sum, { queued }) => sum + queued, 0));
    this.#countedAt = performance.now();
  }
}
