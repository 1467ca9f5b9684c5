import { APICallError, type LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { SecretValues } from '../../secrets/secret-values.ts';
import { buildModel } from '../build-model.ts';
import { redactingModel } from './redacting-model.ts';

const KEY = 'sk-live-0123456789abcdef';
const secrets = new SecretValues();
secrets.add(KEY);

const asked = {
  prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }],
};

async function ask(fetch: typeof globalThis.fetch): Promise<LanguageModelV4StreamPart[]> {
  const access = { type: 'openai' as const, api_key: KEY, options: { api: 'chat' } };
  const model = redactingModel(await buildModel(access, 'm', fetch), secrets);
  const parts: LanguageModelV4StreamPart[] = [];
  await model.push(asked, (part) => void parts.push(part));
  return parts;
}

/** All texts that can be reached from an error. */
function everything(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (seen.has(value)) return '';
  seen.add(value);
  if (value instanceof Headers) return JSON.stringify([...value]);
  return Reflect.ownKeys(value)
    .map((key) => everything(Reflect.get(value, key), seen))
    .join('\n');
}

/** The first output. Until then, the provider package buffers the whole answer. */
const CHUNK = chunkWith('so far');

function chunkWith(content: string): string {
  const choices = [{ index: 0, delta: { role: 'assistant', content } }];
  return `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', choices })}\n\n`;
}

const failure = async (call: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
};

test('the key is hidden in the body and headers of an error response', async () => {
  const error = await failure(
    ask(() =>
      Promise.resolve(
        Response.json(
          { error: { message: `Incorrect API key provided: ${KEY}`, param: { nested: [KEY] } } },
          { status: 401, headers: { 'x-echo': KEY } },
        ),
      ),
    ),
  );
  expect(APICallError.isInstance(error) && error.statusCode).toBe(401);
  expect(everything(error)).toContain('Incorrect API key provided: [hidden]');
  expect(everything(error)).not.toContain('01234567');
});

test('the key is hidden in a connection error and its cause', async () => {
  const cause = Object.assign(new Error(`bad header: ${KEY}`), { header: { authorization: KEY } });
  const error = await failure(ask(() => Promise.reject(new TypeError('fetch failed', { cause }))));
  expect(everything(error)).not.toContain('01234567');
});

test('the key is hidden in an error in the middle of a stream', async () => {
  const event = { error: { message: `lost ${KEY}`, type: 'server_error' } };
  const body = `${CHUNK}data: ${JSON.stringify(event)}\n\n`;
  const parts = await ask(() =>
    Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
  );
  const errors = parts.filter((part) => part.type === 'error');
  expect(errors).toHaveLength(1);
  expect(everything(errors)).toContain('lost [hidden]');
  expect(everything(errors)).not.toContain('01234567');
});

test('the key is hidden in the error of a broken stream', async () => {
  let begun = false;
  const broken = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (begun) return controller.error(new Error(`reset by ${KEY}`));
      begun = true;
      controller.enqueue(Buffer.from(CHUNK));
    },
  });
  const answer = new Response(broken, { headers: { 'content-type': 'text/event-stream' } });
  const error = await failure(ask(() => Promise.resolve(answer)));
  expect(everything(error)).toContain('reset by [hidden]');
  expect(everything(error)).not.toContain('01234567');
});

test('an answer is unchanged, except for whole secrets', async () => {
  const body = `${CHUNK}${chunkWith(`order 0123456789ab, not ${KEY}`)}data: [DONE]\n\n`;
  const parts = await ask(() =>
    Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
  );
  const text = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
  expect(text).toContain('order 0123456789ab, not [hidden]');
});
