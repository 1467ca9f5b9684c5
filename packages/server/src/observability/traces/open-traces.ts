import type { TracerProvider } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { SecretValues } from '../../secrets/secret-values.ts';
import { type Environment, readOtlpSettings } from './otlp-settings.ts';
import { NO_TRACES, type Traces } from './traces.ts';

export interface TracesOptions {
  readonly env: Environment;
  /** From the embedding program. Takes precedence over the environment. */
  readonly provider?: TracerProvider | undefined;
  readonly version: string;
  readonly replicaId: string;
  readonly secrets: SecretValues;
  readonly log: Logger;
}

/** Opens traces if a provider or an endpoint is configured. Otherwise the SDK is not loaded. */
export async function openTraces(options: TracesOptions): Promise<Traces> {
  const { env, version, secrets, log } = options;
  const captureContent = env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'] === 'true';
  const common = { version, secrets, captureContent };
  if (options.provider !== undefined) {
    const { SpanTraces } = await import('./span-traces.ts');
    return new SpanTraces({ ...common, provider: options.provider });
  }
  const settings = readOtlpSettings(env);
  if (settings === undefined) return NO_TRACES;
  // Most headers are keys.
  for (const value of Object.values(settings.headers)) secrets.add(value);
  if (settings.otherProtocol !== undefined) {
    log.warn(
      { protocol: settings.otherProtocol },
      'traces are sent as http/json, the only supported protocol for OTEL_EXPORTER_OTLP_ENDPOINT',
    );
  }
  const [{ SpanTraces }, { otlpProvider }] = await Promise.all([
    import('./span-traces.ts'),
    import('./otlp-provider.ts'),
  ]);
  return new SpanTraces({ ...common, ...otlpProvider(settings, options, log) });
}
