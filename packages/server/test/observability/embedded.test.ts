import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { startTestServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';

test('an embedded server sends its spans to the tracer provider of its host program', async () => {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const server = await startTestServer({}, { tracerProvider });
  await server.owner.ok('getMe');
  await eventually(() => {
    const names = exporter.getFinishedSpans().map(({ name }) => name);
    expect(names).toContain('GET /users/me');
  });
});
