import type { TracerProvider } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { SecretValues } from '../../secrets/secret-values.ts';
import { NO_TRACES, type Traces } from './traces.ts';

export interface TracesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the program around us. Comes before what the environment says. */
  readonly provider?: TracerProvider | undefined;
  readonly version: string;
  readonly replicaId: string;
  readonly secrets: SecretValues;
  readonly log: Logger;
}

/** With a provider or an endpoint, traces; otherwise nothing, and nothing of it is even loaded. */
export async function openTraces(options: TracesOptions): Promise<Traces> {
  const { env, version, secrets, log } = options;
  const captureContent = env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'] === 'true';
  const common = { version, secrets, captureContent };
  if (options.provider !== undefined) {
    const { SpanTraces } = await import('./span-traces.ts');
    return new SpanTraces({ ...common, provider: options.provider });
  }
  if (!isConfigured(env)) return NO_TRACES;
  for (const value of headerValues(env)) secrets.add(value);
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol !== undefined && protocol !== 'http/json') {
    log.warn({ protocol }, 'traces are sent as http/json: chatd has no other protocol for them');
  }
  const [{ SpanTraces }, { otlpProvider }] = await Promise.all([
    import('./span-traces.ts'),
    import('./otlp-provider.ts'),
  ]);
  return new SpanTraces({ ...common, ...otlpProvider(env, options, log) });
}

function isConfigured(env: TracesOptions['env']): boolean {
  if (env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') return false;
  return [env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'], env['OTEL_EXPORTER_OTLP_ENDPOINT']].some(
    (endpoint) => endpoint !== undefined && endpoint !== '',
  );
}

/** `name=value,…`, as they are and as they are sent: most are keys. */
function headerValues(env: TracesOptions['env']): string[] {
  return [env['OTEL_EXPORTER_OTLP_HEADERS'], env['OTEL_EXPORTER_OTLP_TRACES_HEADERS']]
    .flatMap((headers) => headers?.split(',') ?? [])
    .map((header) => header.slice(header.indexOf('=') + 1).trim())
    .flatMap((value) => [value, decoded(value)]);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
