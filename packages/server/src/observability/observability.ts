import type { Settings } from '@chatd/protocol';
import type { TracerProvider } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import { within } from '../bus/within.ts';
import { knownSecrets } from '../secrets/secret-values.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database.ts';
import type { Streams } from '../stream/streams.ts';
import type { Instruments } from '../worker/instruments.ts';
import { DebugRecord } from './debug-record/debug-record.ts';
import { instrumentsFor } from './instruments.ts';
import { Metrics, type MetricsPeers } from './metrics.ts';
import { type MetricSources, pullMetrics, streamLag } from './pulled-metrics.ts';
import { RunMetrics } from './run-metrics.ts';
import { openTraces } from './traces/open-traces.ts';
import { NO_TRACES, type Traces } from './traces/traces.ts';
import { TurnLog } from './turn-log.ts';

export interface ObservabilityOptions {
  /** A function, because the database is created later and is observed itself. */
  readonly database: () => Database;
  readonly settings: () => Promise<Settings>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tracerProvider?: TracerProvider | undefined;
  readonly version: string;
  readonly replicaId: string;
  readonly log: Logger;
  readonly peers?: MetricsPeers | undefined;
}

const CLOSE_MS = 2000;

export class Observability {
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly instruments: Instruments;
  readonly #debugRecord: DebugRecord;

  static async open(options: ObservabilityOptions): Promise<Observability> {
    const { tracerProvider: provider } = options;
    const traces = await openTraces({ ...options, provider, secrets: knownSecrets });
    return new Observability(options, traces);
  }

  private constructor(options: ObservabilityOptions, traces: Traces) {
    const { database, settings, log } = options;
    this.metrics = new Metrics(database, options.peers);
    this.traces = traces;
    this.#debugRecord = new DebugRecord({
      database: { query: (statement, ...params) => database().query(statement, ...params) },
      settings,
      secrets: knownSecrets,
      log,
    });
    this.instruments = instrumentsFor(
      [new RunMetrics(this.metrics.registry), new TurnLog(log), traces, this.#debugRecord],
      log,
    );
  }

  get isTracing(): boolean {
    return this.traces !== NO_TRACES;
  }

  committed(change: Change): void {
    this.metrics.transition(change);
    this.traces.caused(change);
  }

  /** Adds the counters of these components to the metrics. */
  show(counted: {
    readonly running: () => number;
    readonly migrationsWaiting: () => number;
    readonly bus: Pick<Bus, 'stats'>;
    readonly streams: Pick<Streams, 'stats' | 'onLag'>;
    readonly machines: MetricSources['machines'];
  }): void {
    const { registry } = this.metrics;
    pullMetrics(registry, { ...counted, debugRecord: this.#debugRecord });
    const lag = streamLag(registry);
    counted.streams.onLag((seconds) => lag.observe(seconds));
  }

  /** Call after everything observed has stopped, and before the database closes. Waits only briefly for unsent data. */
  async close(): Promise<void> {
    const left = Promise.allSettled([this.traces.close(), this.#debugRecord.close()]);
    await within(CLOSE_MS, left);
    this.metrics.close();
  }
}
