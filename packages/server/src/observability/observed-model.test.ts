import { anthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { Interrupted, ProviderError, type PushModel, pushModel } from '@chatd/loop';
import { expect, test } from 'vitest';
import type { CallEnd } from './observer.ts';
import { observedModel } from './observed-model.ts';

const USAGE = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};
const START: LanguageModelV4StreamPart = { type: 'stream-start', warnings: [] };
const META: LanguageModelV4StreamPart = { type: 'response-metadata', id: 'r1', modelId: 'm-1' };
const DELTA: LanguageModelV4StreamPart = { type: 'text-delta', id: '0', delta: 'Hi' };
const FINISH: LanguageModelV4StreamPart = {
  type: 'finish',
  usage: USAGE,
  finishReason: { unified: 'stop', raw: 'end_turn' },
};

/** A model that streams these parts. An error breaks the stream. */
function model(parts: readonly (LanguageModelV4StreamPart | Error)[]): LanguageModelV4 {
  const left = [...parts];
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    pull(controller) {
      const part = left.shift();
      if (part === undefined) controller.close();
      else if (part instanceof Error) controller.error(part);
      else controller.enqueue(part);
    },
  });
  return Object.assign(anthropic('m'), {
    doStream: () => Promise.resolve({ stream }),
  });
}

function observe(inner: LanguageModelV4) {
  const ends: CallEnd[] = [];
  const seen: string[] = [];
  const observed = observedModel(pushModel(inner), () => [
    { part: (part) => seen.push(part.type), ended: (end) => ends.push(end) },
  ]);
  return { observed, ends, seen };
}

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];

async function readAll(observed: PushModel): Promise<string[]> {
  const types: string[] = [];
  await observed.push({ prompt }, (part) => void types.push(part.type));
  return types;
}

test("the end of a call has the warnings of the provider's package", async () => {
  const warnings = [
    { type: 'unsupported' as const, feature: 'topK' },
    { type: 'unsupported' as const, feature: 'tools', details: 'Not both.' },
    { type: 'other' as const, message: 'Something was left out.' },
  ];
  const { observed, ends } = observe(model([{ type: 'stream-start', warnings }, DELTA, FINISH]));
  await readAll(observed);
  expect(ends).toMatchObject([
    {
      warnings: ['topK (unsupported)', 'tools (unsupported): Not both.', 'Something was left out.'],
    },
  ]);
});

test('the reader and the observer get every part', async () => {
  const { observed, ends, seen } = observe(model([START, META, DELTA, FINISH]));
  const types = await readAll(observed);
  expect(types).toEqual(['stream-start', 'response-metadata', 'text-delta', 'finish']);
  expect(seen).toEqual(types);
  expect(ends).toEqual([
    {
      how: 'completed',
      responseId: 'r1',
      responseModel: 'm-1',
      usage: USAGE,
      finish: { unified: 'stop', raw: 'end_turn' },
      firstTokenMs: expect.any(Number),
      durationMs: expect.any(Number),
    },
  ]);
});

test('the start of a message is not its first token', async () => {
  const custom: LanguageModelV4StreamPart = { type: 'custom', kind: 'anthropic.message_start' };
  const { observed, ends } = observe(model([START, custom, META, FINISH]));
  await readAll(observed);
  expect(ends[0]?.firstTokenMs).toBeUndefined();
});

test('nothing more is read while the reader pauses', async () => {
  const { observed, seen } = observe(model([START, DELTA, FINISH]));
  const pause = Promise.withResolvers<void>();
  const pushing = observed.push({ prompt }, () => pause.promise);
  await new Promise(setImmediate);
  expect(seen).toEqual(['stream-start']);
  pause.resolve();
  await pushing;
  expect(seen).toEqual(['stream-start', 'text-delta', 'finish']);
});

test('a broken stream is a failure, and the reader gets the error', async () => {
  const { observed, ends } = observe(model([START, DELTA, new Error('socket hang up')]));
  await expect(readAll(observed)).rejects.toThrow('socket hang up');
  expect(ends).toMatchObject([{ how: 'failed', failure: { kind: 'timeout', retryable: true } }]);
});

test('an error part is a failure, even if the reader stops reading there', async () => {
  const error = new ProviderError({ kind: 'overloaded', message: 'Too much.' });
  const { observed, ends } = observe(model([START, { type: 'error', error }]));
  const stop = (part: LanguageModelV4StreamPart) => {
    if (part.type === 'error') throw error;
    return undefined;
  };
  await expect(observed.push({ prompt }, stop)).rejects.toBe(error);
  expect(ends).toMatchObject([{ how: 'failed', failure: { kind: 'overloaded' }, error }]);
});

test('a stream that ends without a finish part is a failure', async () => {
  const { observed, ends } = observe(model([START, DELTA]));
  await readAll(observed);
  expect(ends).toMatchObject([{ how: 'failed', failure: { kind: 'timeout' } }]);
});

test('an interrupted call is stopped, a timed-out call has failed', async () => {
  for (const [reason, end] of [
    [new Interrupted(), { how: 'stopped', why: 'Interrupted' }],
    [
      new ProviderError({ kind: 'startup_timeout', message: 'Too slow.' }),
      { how: 'failed', failure: { kind: 'startup_timeout' } },
    ],
  ] as const) {
    const stop = new AbortController();
    const { observed, ends } = observe(model([START, DELTA, FINISH]));
    const abort = () => {
      stop.abort(reason);
      return undefined;
    };
    const pushing = observed.push({ prompt, abortSignal: stop.signal }, abort);
    await expect(pushing).rejects.toBe(reason);
    expect(ends).toMatchObject([end]);
  }
});

test('an abort ends a call although the model never responds and ignores the signal', async () => {
  const silent = Object.assign(anthropic('m'), {
    doStream: () => Promise.withResolvers<never>().promise,
  });
  const { observed, ends } = observe(silent);
  const stop = new AbortController();
  void observed.push({ prompt, abortSignal: stop.signal }, () => undefined);
  stop.abort(new Interrupted());
  expect(ends).toMatchObject([{ how: 'stopped', why: 'Interrupted' }]);
});
