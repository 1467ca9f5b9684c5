import { expect, test } from 'vitest';
import { readOtlpSettings } from './otlp-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test('with an endpoint, everything else has a default', () => {
  expect(readOtlpSettings(ENDPOINT)).toEqual({
    url: 'http://collector:4318/v1/traces',
    headers: {},
    timeoutMillis: undefined,
    resource: { 'service.name': 'chatd' },
    sampler: { name: 'parentbased_always_on', ratio: 1 },
    batches: {},
    otherProtocol: undefined,
  });
});

test.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  { ...ENDPOINT, OTEL_SDK_DISABLED: 'true' },
  { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
])('tracing is off with %o', (env) => {
  expect(readOtlpSettings(env)).toBeUndefined();
});

test('settings for traces override those for all signals', () => {
  const settings = readOtlpSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/otlp',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=2',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=Bearer%20x%3D%3D, c = 3',
    OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2000',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  });
  expect(settings).toMatchObject({
    url: 'https://traces.example/otlp',
    headers: { a: '1', b: 'Bearer x==', c: '3' },
    timeoutMillis: 2000,
    otherProtocol: 'grpc',
  });
});

test('OTEL_SERVICE_NAME overrides the resource attributes', () => {
  const OTEL_RESOURCE_ATTRIBUTES = 'service.name=a,deployment.environment.name=test';
  expect(readOtlpSettings({ ...ENDPOINT, OTEL_RESOURCE_ATTRIBUTES })?.resource).toEqual({
    'service.name': 'a',
    'deployment.environment.name': 'test',
  });
  const named = { ...ENDPOINT, OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME: 'b' };
  expect(readOtlpSettings(named)?.resource['service.name']).toBe('b');
});

test('invalid values are ignored', () => {
  const settings = readOtlpSettings({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'nonsense,=x,a=%zz',
    OTEL_EXPORTER_OTLP_TIMEOUT: 'soon',
    OTEL_TRACES_SAMPLER_ARG: '7',
    OTEL_BSP_MAX_QUEUE_SIZE: '-1',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
  expect(settings).toMatchObject({
    headers: { a: '%zz' },
    timeoutMillis: undefined,
    sampler: { ratio: 1 },
    batches: { scheduledDelayMillis: 100 },
  });
});
