import { setTimeout as sleep } from 'node:timers/promises';
import type { TracerProvider as AnyTracerProvider } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

const FLUSH_MS = 2000;

type Environment = Readonly<Record<string, string | undefined>>;

export interface OtlpProvider {
  readonly provider: AnyTracerProvider;
  close(): Promise<void>;
}

/** Spans go out in batches, as the OTEL_ variables say. The exporter reads its own: endpoint, headers, timeout. */
export function otlpProvider(
  env: Environment,
  about: { version: string; replicaId: string },
  log: Logger,
): OtlpProvider {
  const resource = defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'chatd',
        'service.version': about.version,
        'service.instance.id': about.replicaId,
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
  const exporter = new ToldExporter(new OTLPTraceExporter(), log);
  const provider = new TracerProvider({
    resource,
    sampler: samplerFrom(env),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batchingFrom(env) })],
  });
  return { provider, close: () => flushed(provider) };
}

/** An endpoint that is away must not keep the server from stopping. */
async function flushed(provider: TracerProvider): Promise<void> {
  const waited = new AbortController();
  const late = sleep(FLUSH_MS, undefined, { signal: waited.signal, ref: false });
  await Promise.race([provider.shutdown(), late]).catch(() => undefined);
  waited.abort();
  await late.catch(() => undefined);
}

type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0];

/** Logs a failure when it begins and when it is over, however often it is tried in between. */
class ToldExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Logger;
  #failing = false;

  constructor(exporter: SpanExporter, log: Logger) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: (result: Result) => void): void {
    this.#exporter.export(spans, (result) => {
      this.#note(result);
      done(result);
    });
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }

  #note({ error }: Result): void {
    const failed = error !== undefined;
    if (failed && !this.#failing) {
      this.#log.warn({ err: error }, 'traces cannot be sent; check OTEL_EXPORTER_OTLP_ENDPOINT');
    } else if (!failed && this.#failing) {
      this.#log.info('traces are sent again');
    }
    this.#failing = failed;
  }
}

function samplerFrom(env: Environment): Sampler {
  const root = rootSampler(env['OTEL_TRACES_SAMPLER'] ?? '', env['OTEL_TRACES_SAMPLER_ARG']);
  return (env['OTEL_TRACES_SAMPLER'] ?? 'parentbased').startsWith('parentbased')
    ? new ParentBasedSampler({ root })
    : root;
}

function rootSampler(name: string, argument: string | undefined): Sampler {
  if (name.endsWith('always_off')) return new AlwaysOffSampler();
  const ratio = Number(argument ?? 1);
  if (!name.endsWith('traceidratio') || !(ratio >= 0 && ratio <= 1)) return new AlwaysOnSampler();
  return new TraceIdRatioBasedSampler(ratio);
}

const BATCHING = {
  OTEL_BSP_SCHEDULE_DELAY: 'scheduledDelayMillis',
  OTEL_BSP_EXPORT_TIMEOUT: 'exportTimeoutMillis',
  OTEL_BSP_MAX_QUEUE_SIZE: 'maxQueueSize',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 'maxExportBatchSize',
} as const;

const batchingFrom = (env: Environment): Record<string, number> =>
  Object.fromEntries(
    Object.entries(BATCHING)
      .map(([variable, option]): [string, number] => [option, Number(env[variable] ?? Number.NaN)])
      .filter(([, value]) => Number.isInteger(value) && value > 0),
  );
