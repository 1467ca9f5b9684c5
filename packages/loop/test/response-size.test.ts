import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { runTurn } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { expect, test, vi } from 'vitest';
import { asked, textOf } from './support/chat.ts';
import { called, calls, finish, says, scriptedModel } from './support/scripted-model.ts';

type Part = LanguageModelV4StreamPart;

/** An endless stream. `canceled` resolves when the loop cancels it. */
function endless(part: Part) {
  const canceled = Promise.withResolvers<void>();
  const stream = () =>
    new ReadableStream<Part>({
      start: (controller) =>
        controller.enqueue({ type: 'tool-input-start', id: 'c', toolName: 'x' }),
      pull: (controller) => controller.enqueue(part),
      cancel: () => canceled.resolve(),
    });
  return { stream, canceled: canceled.promise };
}

const LIMITS = {
  max_response_bytes: 10_000,
  max_response_file_bytes: 10_000,
  max_argument_bytes: 2_000,
};

test.each<[string, Part, string]>([
  ['text', { type: 'text-delta', id: 't', delta: 'é'.repeat(50) }, '10000 bytes'],
  ['reasoning', { type: 'reasoning-delta', id: 'r', delta: 'x'.repeat(50) }, '10000 bytes'],
  ['nothing', { type: 'text-delta', id: 't', delta: '' }, '10000 bytes'],
  ['arguments', { type: 'tool-input-delta', id: 'c', delta: 'x' }, '2000 bytes'],
  [
    'sources',
    { type: 'source', sourceType: 'url', id: 's', url: `https://a/${'x'.repeat(50)}` },
    '10000 bytes',
  ],
  [
    'files',
    {
      type: 'file',
      mediaType: 'image/png',
      data: { type: 'data', data: new Uint8Array(500) },
    },
    'files of the response exceeded the limit of 10000 bytes',
  ],
])('an endless answer is stopped and not retried: %s', async (_, part, message) => {
  const { stream, canceled } = endless(part);
  const history = asked();
  const model = scriptedModel([stream]);
  const outcome = await runTurn({ model, history, limits: LIMITS, clock: new ManualClock() });
  expect(outcome).toMatchObject({
    type: 'failed',
    error: { kind: 'generic', retryable: false, message: expect.stringContaining(message) },
  });
  await canceled;
  expect(history.messages).toHaveLength(1);
  expect(model.calls).toHaveLength(1);
});

test('the loop waits for `pace` before it reads the next part', async () => {
  const sizes: number[] = [];
  const pauses: PromiseWithResolvers<void>[] = [];
  const model = scriptedModel([says('Hello')]);
  const history = asked();
  const turn = runTurn({
    model,
    history,
    pace(bytes) {
      sizes.push(bytes);
      const pause = Promise.withResolvers<void>();
      pauses.push(pause);
      return pause.promise;
    },
  });
  for (let read = 1; history.messages.length === 1; read += 1) {
    await vi.waitFor(() =>
      expect(pauses.length === read || history.messages.length > 1).toBe(true),
    );
    await new Promise(setImmediate);
    expect(pauses.length).toBeLessThanOrEqual(read);
    pauses.at(-1)?.resolve();
  }
  expect(await turn).toEqual({ type: 'finished' });
  expect(sizes).toContain('Hello'.length + 1);
});

test('arguments without deltas are limited, too', async () => {
  const input = JSON.stringify({ text: 'x'.repeat(2_000) });
  const model = scriptedModel([
    [{ type: 'tool-call', toolCallId: 'c', toolName: 'x', input }, finish('tool-calls')],
  ]);
  expect(await runTurn({ model, history: asked(), limits: LIMITS })).toMatchObject({
    type: 'failed',
    error: { message: expect.stringContaining('arguments of a tool call') },
  });
});

test('a response within the limits passes, and arguments that are also sent as deltas count once', async () => {
  const argument = { text: 'x'.repeat(1_700) };
  const five = ['a', 'b', 'c', 'd', 'e'].map((id) => called('unknown', argument, id));
  const history = asked();
  const model = scriptedModel([calls(...five), says('y'.repeat(9_000))]);
  expect(await runTurn({ model, history, limits: LIMITS })).toEqual({ type: 'finished' });
  expect(textOf(history.messages)).toHaveLength(9_000);
});
