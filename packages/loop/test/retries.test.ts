import { APICallError } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { Interrupted, runTurn, ShuttingDown } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { asked, textOf, Watch } from './support/chat.ts';
import { drivenStream, finish, said, says, scriptedModel } from './support/scripted-model.ts';

const refused = (statusCode: number, headers: Record<string, string> = {}) =>
  new APICallError({
    message: 'no',
    url: 'http://x',
    requestBodyValues: {},
    statusCode,
    responseHeaders: headers,
  });

/** Advances the clock past each wait. */
async function untilDone<T>(clock: ManualClock, turn: Promise<T>, waits: number[]): Promise<T> {
  for (const ms of waits) {
    await clock.waiting(ms);
    clock.advance(ms);
  }
  return turn;
}

test('the delay doubles from 1 second to 60, without jitter, and each wait is announced before it starts', async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const watch = new Watch();
  const history = asked();
  const model = scriptedModel([...Array.from({ length: 8 }, () => refused(529)), says('at last')]);
  // Different from the waits of one minute, so that `clock.waiting` does not find the guard.
  const limits = { startup_ms: 45_000 };
  const turn = runTurn({ model, history, clock, limits, publish: watch.publish });
  const waits = [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000];
  expect(await untilDone(clock, turn, waits)).toEqual({ type: 'finished' });
  expect(history.retries.map((r) => r.delay_ms)).toEqual(waits);
  expect(history.retries[1]).toEqual({
    attempt: 2,
    delay_ms: 2000,
    retrying_at: '2026-01-01T00:00:03.000Z',
    kind: 'overloaded',
    retryable: true,
    provider: 'fake',
    status_code: 529,
    error: expect.stringContaining('overloaded'),
  });
  expect(watch.events.filter((e) => e.type === 'retry')).toHaveLength(8);
  expect(history.messages[1]?.runtime_ms).toBe(183_000);
});

test('the retry delay of the provider is a minimum', async () => {
  const clock = new ManualClock();
  const model = scriptedModel([
    refused(429, { 'retry-after': '7' }),
    refused(429, { 'retry-after-ms': '100' }),
    says('ok'),
  ]);
  const turn = runTurn({ model, history: asked(), clock });
  expect(await untilDone(clock, turn, [7000, 2000])).toEqual({ type: 'finished' });
});

test('a retry delay of more than five minutes fails the turn immediately, with the kind of the error', async () => {
  const history = asked();
  const model = scriptedModel([refused(429, { 'retry-after': '301' })]);
  expect(await runTurn({ model, history, clock: new ManualClock() })).toMatchObject({
    type: 'failed',
    error: { kind: 'rate_limit', status_code: 429 },
  });
  expect(history.error?.kind).toBe('rate_limit');
});

test('an error that is not retryable is not retried', async () => {
  const model = scriptedModel([refused(401)]);
  expect(await runTurn({ model, history: asked(), clock: new ManualClock() })).toMatchObject({
    type: 'failed',
    error: { kind: 'auth' },
  });
  expect(model.calls).toHaveLength(1);
});

test('the turn fails after 25 attempts for one history version, counted by the history', async () => {
  const clock = new ManualClock();
  const history = asked();
  for (let n = 0; n < 23; n++) await history.beginAttempt();
  const model = scriptedModel([refused(500), refused(500)]);
  const outcome = await untilDone(
    clock,
    runTurn({ model, history, clock, limits: { startup_ms: 45_000 } }),
    [60_000],
  );
  expect(outcome).toMatchObject({ type: 'failed', error: { kind: 'generic', status_code: 500 } });
  expect(model.calls).toHaveLength(2);
});

test('a failed attempt is reset, so that clients do not see text twice', async () => {
  const clock = new ManualClock();
  const watch = new Watch();
  const history = asked();
  const model = scriptedModel([said('half'), says('whole')]);
  await untilDone(clock, runTurn({ model, history, clock, publish: watch.publish }), [1000]);
  expect(textOf(history.messages)).toBe('whole');
  expect(
    watch.events.map((e) => (e.type === 'part' && e.part.type === 'text' ? e.part.text : e.type)),
  ).toEqual(['half', 'reset', 'retry', 'whole', 'committed']);
});

test.each([
  [
    'an error in the stream',
    [...said('x'), { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    'overloaded',
  ],
  ['an end without a finish', said('x'), 'timeout'],
  ['an empty stream', [], 'timeout'],
  ['a stream that was cut off after some output', [...said('x'), finish('interrupted')], 'timeout'],
] as const)('%s is retried', async (_, parts, kind) => {
  const clock = new ManualClock();
  const history = asked();
  const model = scriptedModel([[...parts] as never, says('ok')]);
  await untilDone(clock, runTurn({ model, history, clock }), [1000]);
  expect(history.retries).toMatchObject([{ kind }]);
});

test('an unknown event does not fail the response', async () => {
  const { TypeValidationError } = await import('@ai-sdk/provider');
  const history = asked();
  const error = new TypeValidationError({
    value: { type: 'new_event' },
    cause: new Error('unknown'),
  });
  const model = scriptedModel([[...said('fine'), { type: 'error', error }, finish('stop')]]);
  expect(await runTurn({ model, history })).toEqual({ type: 'finished' });
  expect(textOf(history.messages)).toBe('fine');
});

test('an attempt without a first part within a minute is canceled and retried', async () => {
  const clock = new ManualClock();
  const history = asked();
  const model = scriptedModel([]);
  let aborted: unknown;
  model.doStream = (call) => {
    model.calls.push(call);
    if (model.calls.length > 1)
      return Promise.resolve({ stream: ReadableStream.from(says('late')) as never });
    call.abortSignal?.addEventListener('abort', () => (aborted = call.abortSignal?.reason));
    return new Promise(() => {});
  };
  const outcome = await untilDone(clock, runTurn({ model, history, clock }), [60_000, 1000]);
  expect(outcome).toEqual({ type: 'finished' });
  expect(history.retries).toMatchObject([{ kind: 'startup_timeout' }]);
  expect(aborted).toMatchObject({ kind: 'startup_timeout' });
});

test('a part that the package generates does not count as the first part', async () => {
  const clock = new ManualClock();
  const driven = drivenStream('ignores');
  const history = asked();
  const turn = runTurn({ model: scriptedModel([driven.answer, says('ok')]), history, clock });
  await driven.opened;
  driven.push({ type: 'stream-start', warnings: [] });
  await new Promise(setImmediate);
  await untilDone(clock, turn, [60_000, 1000]);
  expect(history.retries).toMatchObject([{ kind: 'startup_timeout' }]);
});

test('the first part disarms the startup guard, and ten minutes of silence end the attempt', async () => {
  const clock = new ManualClock();
  const driven = drivenStream();
  const watch = new Watch();
  const history = asked();
  const model = scriptedModel([driven.answer, says('ok')]);
  const canceled = () => model.calls[0]?.abortSignal?.aborted;
  const turn = runTurn({ model, history, clock, publish: watch.publish });
  await driven.opened;
  clock.advance(59_999);
  driven.push(...said('one'));
  await watch.untilText('one');
  clock.advance(599_999);
  driven.push({ type: 'text-start', id: 'u' }, { type: 'text-delta', id: 'u', delta: 'two' });
  await watch.untilText('two');
  clock.advance(599_999);
  expect(canceled()).toBe(false);
  clock.advance(1);
  expect(canceled()).toBe(true);
  await untilDone(clock, turn, [1000]);
  expect(history.retries).toMatchObject([{ kind: 'stream_silence_timeout' }]);
  expect(textOf(history.messages)).toBe('ok');
});

test('no timer is left behind when a turn is over', async () => {
  const clock = new ManualClock();
  await runTurn({ model: scriptedModel([says('ok')]), history: asked(), clock });
  expect(clock.pending).toEqual([]);
});

test('an interrupt ends the wait before a retry and writes nothing', async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const history = asked();
  const turn = runTurn({
    model: scriptedModel([refused(529)]),
    history,
    clock,
    signal: controller.signal,
  });
  await clock.waiting(1000);
  controller.abort(new Interrupted());
  expect(await turn).toEqual({ type: 'interrupted' });
  expect(history.messages).toHaveLength(1);
  expect(clock.pending).toEqual([]);
});

test('a shutdown ends the wait before a retry, but not the turn', async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const turn = runTurn({
    model: scriptedModel([refused(529)]),
    history: asked(),
    clock,
    signal: controller.signal,
  });
  await clock.waiting(1000);
  controller.abort(new ShuttingDown());
  await expect(turn).rejects.toBeInstanceOf(ShuttingDown);
});
