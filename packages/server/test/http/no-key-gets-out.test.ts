import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { API_PREFIX, ProviderType, type RouteName } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { dump } from '@chatd/test-server/database';
import { type ApiClient, type Input, startServerOn, startTestServer } from '@chatd/test-server';
import { type ScriptedResponse, startModelServer } from './model-server.ts';

/** A random key, of which no part occurs elsewhere by chance. */
const newKey = () => randomBytes(30).toString('base64url').replaceAll(/[-_]/g, 'x');

const planted: string[] = [];
const plant = (): string => {
  const key = newKey();
  planted.push(key);
  return key;
};

/** Keys that are sent to services, which can echo them. */
const shown: string[] = [];
const plantForServices = (): string => {
  const key = plant();
  shown.push(key);
  return key;
};

/** Every 8 consecutive characters of a key. */
const partsOf = (key: string) =>
  Array.from({ length: key.length - 7 }, (_, at) => key.slice(at, at + 8));

const service = await startModelServer();

const CREDENTIALS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

/** The credentials of a request and all keys that services have seen. */
const repeated = ({ headers }: IncomingMessage): string =>
  [...CREDENTIALS.map((name) => String(headers[name] ?? '')), ...shown].join(' ; ');

/** The keys as services mask them, with parts visible. */
const masked = () => shown.map((key) => `${key.slice(0, 12)}***${key.slice(-9)}`).join(' ');

const events = (...lines: unknown[]): ScriptedResponse => ({
  headers: { 'content-type': 'text/event-stream' },
  body: lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join(''),
});

const chunk = (content: string) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { role: 'assistant', content } }],
});

/** Every way in which a response can leak keys. */
const LEAKY_RESPONSES: Record<string, (request: IncomingMessage) => ScriptedResponse> = {
  'a refusal that repeats the key': (request) => ({
    status: 401,
    headers: { 'x-echo': repeated(request), 'www-authenticate': `Bearer error="${masked()}"` },
    body: {
      type: 'error',
      error: {
        type: 'authentication_error',
        code: 'invalid_api_key',
        message: `Incorrect API key provided: ${repeated(request)} (${masked()})`,
      },
    },
  }),
  'a bad request that repeats the key': (request) => ({
    status: 400,
    body: { error: { type: 'invalid_request_error', message: `bad: ${repeated(request)}` } },
  }),
  'a failure in plain text': (request) => ({
    status: 500,
    headers: { 'content-type': 'text/plain' },
    body: `panic with ${repeated(request)} ${masked()}`,
  }),
  'a redirect with the key in its address': (request) => ({
    status: 302,
    headers: { location: `https://elsewhere.invalid/?key=${repeated(request)}` },
    body: repeated(request),
  }),
  'models that are called like keys': () => ({
    body: {
      data: shown.map((key) => ({ id: key, display_name: key, name: key })),
      models: shown.map((key) => ({ name: key, displayName: key, id: key })),
      modelSummaries: shown.map((key) => ({ modelId: key, modelName: key })),
    },
  }),
  'an answer that is no JSON': (request) => ({ body: `<html>${repeated(request)}` }),
  'an error in the stream': (request) =>
    events(chunk('so far'), { error: { message: repeated(request), type: 'server_error' } }),
  'an event that is broken': (request) => ({
    headers: { 'content-type': 'text/event-stream' },
    body: `data: ${JSON.stringify(chunk('so far'))}\n\ndata: {"oops ${repeated(request)}\n\n`,
  }),
  'a text that repeats the key': (request) =>
    events(chunk(`Your key is ${repeated(request)}`), {
      ...chunk(''),
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    }),
};

const OPTIONS: Partial<Record<ProviderType, object>> = { bedrock: { region: 'us-east-1' } };
const SECRET_KEY = plant();
const ENVIRONMENT = { OPENROUTER_API_KEY: plantForServices() };

test('no key or part of a key appears in responses, streams, logs, metrics, or the database', async () => {
  const server = await startTestServer(
    { secretKey: SECRET_KEY, logLevel: 'trace', concurrency: 4 },
    { env: ENVIRONMENT, limits: { max_attempts: 1 } },
  );
  const { admin, owner, databaseUrl, logged } = server;
  const answers: string[] = [];
  const call = async (client: ApiClient, name: RouteName, input: Input = {}) => {
    const { status, text, headers } = await client.call(name, input);
    answers.push(`${name} ${status} ${text} ${JSON.stringify([...headers])}`);
    return JSON.parse(text === '' ? 'null' : text) as { id: string; status: string };
  };

  // A provider of every type, with stored keys and a user's own key.
  const configs: string[] = [];
  for (const type of ProviderType.exclude(['demo']).options) {
    const body = {
      type,
      name: type,
      base_url: service.url,
      api_key: plantForServices(),
      allow_user_keys: true,
      options: OPTIONS[type] ?? {},
    };
    const { id: provider_id } = await call(admin, 'createProvider', { body });
    if (type !== 'google') {
      const params = { provider_id };
      await call(owner, 'setOwnKey', { params, body: { api_key: plantForServices() } });
    }
    if (type === 'bedrock') {
      const aws_credentials = {
        access_key_id: plantForServices(),
        secret_access_key: plantForServices(),
        session_token: plantForServices(),
      };
      const params = { provider_id };
      await call(admin, 'updateProvider', { params, body: { api_key: null, aws_credentials } });
    }
    const config = { provider_id, model: 'claude-sonnet-4-5', context_limit: 100_000 };
    configs.push((await call(admin, 'createModelConfig', { body: config })).id);
  }

  // Refusals do not echo keys either.
  const before = plant();
  for (const body of [
    { type: 'openai', name: 'x', api_key: `${before} with spaces` },
    { type: 'openai', name: 'x', api_key: [before] },
    { type: 'openai', name: 'x', base_url: `https://user:${before}@api.example/v1` },
    { type: 'openai', name: 'x', base_url: `https://api.example/v1?key=${before}` },
    { type: 'nonsense', name: 'x', api_key: before },
  ]) {
    await call(admin, 'createProvider', { body });
  }

  const { providers } = await admin.ok('listProviders');
  for (const [what, answer] of Object.entries(LEAKY_RESPONSES)) {
    service.answer = answer;
    for (const { id } of providers) {
      await call(admin, 'testProvider', { params: { provider_id: id } });
    }
    await call(admin, 'listModels', { query: { refresh: true } });
    for (const id of configs) {
      await call(admin, 'testModelConfig', { params: { model_config_id: id } });
    }
    // The worker runs chats of a user with their own keys while their streams are read.
    const chats = await Promise.all(
      configs.map((model_config_id) =>
        call(owner, 'createChat', { body: { content: what, model_config_id } }),
      ),
    );
    const streams = chats.map(({ id }) => readStream(owner, `/chats/${id}/stream`));
    for (const { id } of chats) {
      const params = { chat_id: id };
      await expect
        .poll(async () => (await owner.ok('getChat', { params })).status, { timeout: 50_000 })
        .not.toBe('running');
      await call(owner, 'getChat', { params });
      await call(owner, 'listMessages', { params });
    }
    for (const stream of streams) answers.push(await stream.until('"type":"status"'));
  }

  for (const name of ['listProviders', 'listModelConfigs', 'getSettings', 'getUsage'] as const) {
    await call(admin, name);
  }
  await call(owner, 'listChats');
  for (const path of ['/metrics', '/openapi.json', '/readyz', '/healthz']) {
    answers.push((await admin.send('GET', path)).text);
  }
  // With another secret key, nothing can be decrypted, and errors reveal nothing else.
  const other = plant();
  const wrong = await startServerOn(databaseUrl, { secretKey: other, logLevel: 'trace' });
  for (const { id } of providers) {
    await call(wrong.admin, 'testProvider', { params: { provider_id: id } });
  }

  // Ensures that the leaky responses were used.
  expect(service.requests.length).toBeGreaterThan(
    configs.length * Object.keys(LEAKY_RESPONSES).length,
  );
  const places = {
    answers: answers.join('\n'),
    logs: [...logged, ...wrong.logged].join('\n'),
    database: await dump(databaseUrl),
  };
  expect(places.answers).toContain('[hidden]');
  const found = Object.entries(places).flatMap(([place, all]) =>
    planted.flatMap((key, index) => {
      const part = partsOf(key).find((one) => all.includes(one));
      return part === undefined ? [] : [`${place}, key ${index}: ${contextOf(all, part)}`];
    }),
  );
  expect(found).toEqual([]);
}, 180_000);

const contextOf = (all: string, part: string) => {
  const at = all.indexOf(part);
  return all.slice(Math.max(0, at - 200), at + 40);
};

interface ReadStream {
  /** Reads until the stream contains this text. Returns everything read. */
  until(text: string): Promise<string>;
}

function readStream({ url, headers }: ApiClient, path: string): ReadStream {
  const stop = new AbortController();
  const response = fetch(`${url}${API_PREFIX}${path}`, { headers, signal: stop.signal });
  return {
    async until(text) {
      let all = '';
      const decoder = new TextDecoder();
      for await (const chunk of (await response).body ?? []) {
        all += decoder.decode(chunk, { stream: true });
        if (all.includes(text)) break;
      }
      stop.abort();
      return all;
    },
  };
}
