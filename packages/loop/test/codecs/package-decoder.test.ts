import { expect, test } from 'vitest';
import { codecModel } from '../../src/codecs/codec-model.ts';
import { providerCodec } from '../../src/codecs/provider-codec.ts';
import { fetchTransport } from '../../src/codecs/transport.ts';
import { pushModel, type Sink } from '../../src/push-model.ts';
import { APIS, urlOf } from './support/apis.ts';
import { frame } from './support/streams.ts';

const api = APIS['openai-compatible'];
const [modelId = ''] = api.models;
const TEXT = frame(JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(1000) } }] }));
/** Outside the subset of the codec: the package decodes it, and everything after it. */
const ERROR = frame(JSON.stringify({ error: { message: 'Quota exceeded', code: 'quota' } }));

/** A call whose response the package decodes. `next` returns its pieces. */
function call(next: () => string | undefined, sink: Sink) {
  const state = { pieces: 0, canceled: false };
  const body = (signal: AbortSignal | null | undefined) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        signal?.addEventListener('abort', () => {
          state.canceled = true;
          controller.error(signal.reason);
        });
      },
      pull(controller) {
        const piece = next();
        // Without a piece, the connection stays open.
        if (piece === undefined) return new Promise(() => undefined);
        state.pieces += 1;
        controller.enqueue(new TextEncoder().encode(piece));
        return undefined;
      },
    });
  const answering: typeof fetch = (_, init) =>
    Promise.resolve(
      new Response(body(init?.signal), { headers: { 'content-type': 'text/event-stream' } }),
    );
  const codec = providerCodec(
    api.codec,
    (fetch) => Promise.resolve(api.model(modelId, fetch)),
    answering,
  );
  const model = codecModel(
    pushModel(api.model(modelId, answering)),
    { codec, url: urlOf, headers: api.headers },
    fetchTransport(answering),
  );
  const content = [{ type: 'text' as const, text: 'hi' }];
  return { state, done: model.push({ prompt: [{ role: 'user', content }] }, sink) };
}

test('an error of the sink ends the call even if the connection stays open', async () => {
  const pieces = [TEXT, ERROR];
  const refusal = new Error('refused');
  const { state, done } = call(
    () => pieces.shift(),
    (part) => {
      if (part.type === 'error') throw refusal;
      return undefined;
    },
  );
  await expect(done).rejects.toBe(refusal);
  expect(state.canceled).toBe(true);
});

test('the decoder stops reading while the sink pauses', async () => {
  const pieces = [ERROR];
  let paused = false;
  const { state } = call(
    () => pieces.shift() ?? TEXT,
    (part) => {
      if (part.type !== 'text-delta') return undefined;
      paused = true;
      return new Promise(() => undefined);
    },
  );
  await expect.poll(() => paused).toBe(true);
  let before;
  do {
    before = state.pieces;
    await new Promise((resolve) => setTimeout(resolve, 50));
  } while (state.pieces > before && before < 10_000);
  expect(state.pieces).toBeLessThan(1000);
});
