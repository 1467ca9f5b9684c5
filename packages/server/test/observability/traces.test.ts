import { answer, fault, text as says } from '@chatd/testing';
import { trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../src/log.ts';
import { openTraces } from '../../src/observability/traces/open-traces.ts';
import { NO_TRACES } from '../../src/observability/traces/traces.ts';
import { SecretValues } from '../../src/secrets/secret-values.ts';
import { eventually } from '@chatd/test-server/eventually';
import { startOtlpReceiver } from './otlp-receiver.ts';
import { callsAdd, openWorld } from './world.ts';

const world = await openWorld();
const { provider } = world;

/** Opens traces with settings from the environment. */
async function open(env: Record<string, string> = {}, given?: TracerProvider) {
  const receiver = await startOtlpReceiver();
  onTestFinished(() => receiver.close());
  const lines: string[] = [];
  const secrets = new SecretValues();
  const traces = await openTraces({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '50', ...env },
    provider: given,
    version: '1.2.3',
    replicaId: 'replica-1',
    secrets,
    log: createLog({
      level: 'info',
      secrets: [],
      readable: false,
      write: (line) => lines.push(line),
    }),
  });
  onTestFinished(() => traces.close());
  return { traces, receiver, lines, secrets };
}

test('a turn, its model calls and its tools are spans of one trace', async () => {
  const { traces, receiver } = await open({ OTEL_SERVICE_NAME: 'my-chatd' });
  await world.start([traces]);
  provider.answer(
    callsAdd(),
    answer([says('It is 3.')], {
      responseId: 'msg_1',
      model: 'claude-of-today',
      usage: { input: 7, cacheRead: 3, output: 5 },
    }),
  );
  const chatId = await world.run('What is 1 + 2?');
  const turn = await receiver.span('invoke_agent chatd');
  const tool = await receiver.span('execute_tool add');
  const [first, second] = receiver.spans.filter(({ name }) => name === 'chat claude-sonnet-4-5');
  expect(turn).toMatchObject({
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.conversation.id': chatId,
      'chatd.turn.outcome': 'finished',
    },
    resource: { 'service.name': 'my-chatd', 'service.version': '1.2.3' },
  });
  expect(second).toMatchObject({
    kind: 3,
    traceId: turn.traceId,
    parentSpanId: turn.spanId,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.request.max_tokens': 1000,
      'gen_ai.response.model': 'claude-of-today',
      'gen_ai.response.id': 'msg_1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.cache_read.input_tokens': 3,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.conversation.id': chatId,
      'chatd.call.attempt': 1,
    },
  });
  expect(tool).toMatchObject({
    traceId: turn.traceId,
    parentSpanId: turn.spanId,
    links: [{ spanId: first?.spanId }],
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'add',
      'gen_ai.tool.call.id': 'toolu_1',
    },
  });
});

test('errors have a type, and a retry is an event', async () => {
  const { traces, receiver } = await open();
  await world.start([traces]);
  provider.answer(fault.status(529), callsAdd(-1), fault.status(401));
  await world.run('What is -1 + 2?', 'error');
  const turn = await receiver.span('invoke_agent chatd');
  expect(turn).toMatchObject({
    status: { code: 2 },
    attributes: { 'error.type': 'auth', 'chatd.turn.outcome': 'failed' },
    events: [{ name: 'chatd.retry' }],
  });
  const calls = receiver.spans.filter(({ name }) => name.startsWith('chat '));
  expect(calls.map(({ attributes }) => attributes['error.type'])).toEqual([
    'overloaded',
    undefined,
    'auth',
  ]);
  expect(calls.map(({ attributes }) => attributes['chatd.call.attempt'])).toEqual([1, 2, 1]);
  expect(await receiver.span('execute_tool add')).toMatchObject({
    status: { code: 2 },
    attributes: { 'error.type': 'RangeError' },
  });
});

const conversation = () => {
  provider.answer(callsAdd(4, 5), answer([says('The answer is nine.')]));
  return world.run('What is the secret-of-mine-1234 sum?');
};

test('message content is not sent by default', async () => {
  const { traces, receiver } = await open();
  await world.start([traces]);
  await conversation();
  await receiver.span('invoke_agent chatd');
  expect(receiver.bodies.join('')).not.toMatch(/secret-of-mine|is nine|messages/);
});

test('message content is sent if enabled, without secrets', async () => {
  const { traces, receiver, secrets } = await open({
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
  });
  secrets.add('secret-of-mine-1234');
  await world.start([traces]);
  await conversation();
  await receiver.span('invoke_agent chatd');
  const last = receiver.spans.findLast(({ name }) => name.startsWith('chat '));
  expect(JSON.parse(String(last?.attributes['gen_ai.output.messages']))).toEqual([
    {
      role: 'assistant',
      parts: [{ type: 'text', content: 'The answer is nine.' }],
      finish_reason: 'stop',
    },
  ]);
  expect(JSON.parse(String(last?.attributes['gen_ai.input.messages']))).toMatchObject([
    { role: 'user', parts: [{ type: 'text', content: 'What is the [hidden] sum?' }] },
    { role: 'assistant', parts: [{ type: 'tool_call', name: 'add', arguments: { a: 4, b: 5 } }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'toolu_1' }] },
  ]);
  const tool = await receiver.span('execute_tool add');
  expect(tool.attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"a":4,"b":5}',
    'gen_ai.tool.call.result': '9',
  });
  expect(receiver.bodies.join('')).not.toContain('secret-of-mine');
});

test('configured headers are sent, and their values are treated as secrets', async () => {
  const { traces, receiver, secrets } = await open({
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=otlp-key-0123456789',
  });
  await world.start([traces]);
  provider.answer(answer([says('Hi.')]));
  await world.run('Hi');
  await receiver.span('invoke_agent chatd');
  expect(receiver.headers[0]).toMatchObject({ 'x-key': 'otlp-key-0123456789' });
  expect(secrets.hide('otlp-key-0123456789')).toBe('[hidden]');
});

test('pending spans are sent when the server stops', async () => {
  const { traces, receiver } = await open({ OTEL_BSP_SCHEDULE_DELAY: '600000' });
  const replica = await world.start([traces]);
  provider.answer(answer([says('Hi.')]));
  await world.run('Hi');
  // The chat has its final status a moment before its worker ends the turn.
  await replica.stop();
  expect(receiver.spans).toEqual([]);
  await traces.close();
  expect(receiver.spans.map(({ name }) => name)).toContain('invoke_agent chatd');
});

test('a receiver that refuses spans affects no turn, and is logged once', async () => {
  const { traces, receiver, lines } = await open();
  receiver.status = 400;
  await world.start([traces]);
  for (const content of ['One', 'Two', 'Three']) {
    provider.answer(answer([says('Hi.')]));
    const before = receiver.bodies.length;
    await world.run(content);
    await eventually(() => expect(receiver.bodies.length).toBeGreaterThan(before));
  }
  await traces.close();
  expect(lines.filter((line) => line.includes('exporting traces failed'))).toHaveLength(1);
});

test('an embedding program can pass its tracer provider, and nothing is registered globally', async () => {
  const exporter = new InMemorySpanExporter();
  const given = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const { traces } = await open({}, given);
  await world.start([traces]);
  provider.answer(callsAdd(), answer([says('It is 3.')]));
  await world.run('What is 1 + 2?');
  const names = () => exporter.getFinishedSpans().map(({ name }) => name);
  await eventually(() => expect(names()).toContain('invoke_agent chatd'));
  expect(names()).toContain('execute_tool add');
  await traces.close();
  given.getTracer('its own').startSpan('afterwards').end();
  expect(names()).toContain('afterwards');
  expect(trace.getTracer('global').startSpan('x').isRecording()).toBe(false);
});

test('without an endpoint there are no traces', async () => {
  const { traces } = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: '' });
  expect(traces).toBe(NO_TRACES);
});

test('the sampler always_off disables all spans', async () => {
  const { traces, receiver } = await open({ OTEL_TRACES_SAMPLER: 'always_off' });
  await world.start([traces]);
  provider.answer(answer([says('Hi.')]));
  await world.run('Hi');
  await traces.close();
  expect(receiver.bodies).toEqual([]);
});

test('requests to machines belong to the trace of their tool, on the machine as well', async () => {
  const { traces, receiver } = await open();
  const turn = traces.turn?.({ id: 'chat', model_config_id: null } as never);
  const tool = turn?.tool?.({
    name: 'execute',
    run: () => Promise.resolve(traces.traceparent()),
  } as never);
  const sent = (await tool?.run({}, { callId: 'c' } as never)) as string;
  const here = await receiver.span('execute_tool execute');
  expect(sent).toBe(`00-${here.traceId}-${here.spanId}-01`);
  expect(traces.traceparent()).toBeUndefined();

  const further = await traces.machineRequest('start', sent, () =>
    Promise.resolve(traces.traceparent()),
  );
  const there = await receiver.span('machine start');
  expect(there).toMatchObject({
    kind: 2,
    traceId: here.traceId,
    parentSpanId: here.spanId,
    attributes: { 'chatd.machine.operation': 'start' },
  });
  expect(further).toBe(`00-${there.traceId}-${there.spanId}-01`);
  // The server's own requests have no trace.
  expect(await traces.machineRequest('calls', undefined, () => Promise.resolve(1))).toBe(1);
  expect(receiver.spans.filter(({ name }) => name === 'machine calls')).toEqual([]);
});
