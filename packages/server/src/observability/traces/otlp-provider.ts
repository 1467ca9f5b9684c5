import type { TracerProvider as AnyTracerProvider } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
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
import type { OtlpSettings } from './otlp-settings.ts';

export interface OtlpProvider {
  readonly provider: AnyTracerProvider;
  close(): Promise<void>;
}

/**
 * Sends spans in batches, as JSON over HTTP. The exporter reads the settings for compression and certificates itself.
 */
export function otlpProvider(
  settings: OtlpSettings,
  about: { version: string; replicaId: string },
  log: Logger,
): OtlpProvider {
  const { url, headers, timeoutMillis } = settings;
  const exporter = new OTLPTraceExporter({
    url,
    headers: { ...headers },
    ...(timeoutMillis !== undefined && { timeoutMillis }),
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.version': about.version,
      'service.instance.id': about.replicaId,
      ...settings.resource,
    }),
    sampler: samplerOf(settings.sampler),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new ToldExporter(exporter, log), ...settings.batches }),
    ],
  });
  // The failure to send the last spans has been logged.
  return { provider, close: () => provider.shutdown().catch(() => undefined) };
}

type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0];

/** Logs when exporting starts to fail and when it recovers, not each attempt. */
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
      this.#log.warn({ err: error }, 'exporting traces failed; check OTEL_EXPORTER_OTLP_ENDPOINT');
    } else if (!failed && this.#failing) {
      this.#log.info('exporting traces works again');
    }
    this.#failing = failed;
  }
}

function samplerOf({ name, ratio }: OtlpSettings['sampler']): Sampler {
  const root = rootSampler(name, ratio);
  return name.startsWith('parentbased') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name.endsWith('always_off')) return new AlwaysOffSampler();
  return name.endsWith('traceidratio')
    ? new TraceIdRatioBasedSampler(ratio)
    : new AlwaysOnSampler();
}
