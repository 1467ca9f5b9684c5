export type Environment = Readonly<Record<string, string | undefined>>;

export interface OtlpSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMillis: number | undefined;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: { readonly name: string; readonly ratio: number };
  readonly batches: Readonly<Record<string, number>>;
  /** A requested protocol that is not supported. Traces are sent as JSON over HTTP. */
  readonly otherProtocol: string | undefined;
}

/** Undefined: traces are disabled. Invalid values are ignored, as OpenTelemetry specifies. */
export function readOtlpSettings(env: Environment): OtlpSettings | undefined {
  const url = endpointOf(env);
  if (url === undefined) return undefined;
  const ours = (name: string) => given(env, `TRACES_${name}`) ?? given(env, name);
  const protocol = ours('PROTOCOL');
  const service = env['OTEL_SERVICE_NAME'] ?? '';
  return {
    url,
    headers: { ...pairs(given(env, 'HEADERS')), ...pairs(given(env, 'TRACES_HEADERS')) },
    timeoutMillis: whole(ours('TIMEOUT')),
    resource: {
      'service.name': 'chatd',
      ...pairs(env['OTEL_RESOURCE_ATTRIBUTES']),
      ...(service !== '' && { 'service.name': service }),
    },
    sampler: {
      name: env['OTEL_TRACES_SAMPLER'] ?? 'parentbased_always_on',
      ratio: ratio(env['OTEL_TRACES_SAMPLER_ARG']),
    },
    batches: batches(env),
    otherProtocol: protocol === 'http/json' ? undefined : protocol,
  };
}

const given = (env: Environment, name: string): string | undefined => {
  const value = env[`OTEL_EXPORTER_OTLP_${name}`];
  return value === '' ? undefined : value;
};

/** The general endpoint gets the path appended. The endpoint for traces is used as it is. */
function endpointOf(env: Environment): string | undefined {
  if (env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') {
    return undefined;
  }
  const common = given(env, 'ENDPOINT');
  return given(env, 'TRACES_ENDPOINT') ?? common?.replace(/\/*$/, '/v1/traces');
}

/** `name=value,…`, percent-encoded. */
function pairs(text = ''): Record<string, string> {
  const entries = text
    .split(',')
    .map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), pair.slice(pair.indexOf('=') + 1)])
    .filter(([name = '']) => name !== '')
    .map(([name = '', value = '']): [string, string] => [name, decoded(value.trim())]);
  return Object.fromEntries(entries);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function whole(text: string | undefined): number | undefined {
  const value = Number(text ?? '');
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

function ratio(text: string | undefined): number {
  const value = Number(text ?? '1');
  return value >= 0 && value <= 1 ? value : 1;
}

const BATCHES = {
  OTEL_BSP_SCHEDULE_DELAY: 'scheduledDelayMillis',
  OTEL_BSP_EXPORT_TIMEOUT: 'exportTimeoutMillis',
  OTEL_BSP_MAX_QUEUE_SIZE: 'maxQueueSize',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 'maxExportBatchSize',
};

const batches = (env: Environment): Record<string, number> =>
  Object.fromEntries(
    Object.entries(BATCHES).flatMap(([variable, option]): [string, number][] => {
      const value = whole(env[variable]);
      return value === undefined ? [] : [[option, value]];
    }),
  );
