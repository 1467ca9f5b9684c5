import type { ProviderType } from '@chatd/protocol';
import { expect, test } from 'vitest';
import type { ProviderAccess } from '../access.ts';
import { KINDS } from './index.ts';
import type { OfferedModel } from './kind.ts';
import { priceOfTokens } from './price-of-tokens.ts';

interface Case {
  readonly access: ProviderAccess;
  /** By path below the base URL. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly header: readonly [name: string, value: RegExp];
  readonly models: OfferedModel[];
}

const at = { base_url: 'https://x.example/v1/', api_key: 'given-key' };

const CASES: Partial<Record<ProviderType, Case>> = {
  anthropic: {
    access: { type: 'anthropic', ...at },
    answers: {
      '/models?limit=1000': {
        data: [
          { id: 'claude', display_name: 'Claude', max_input_tokens: 200_000, max_tokens: 64_000 },
        ],
      },
    },
    header: ['x-api-key', /^given-key$/],
    models: [{ id: 'claude', name: 'Claude', context_limit: 200_000, max_output_tokens: 64_000 }],
  },
  openai: {
    access: { type: 'openai', ...at },
    answers: { '/models': { data: [{ id: 'gpt-5' }, { id: 'text-embedding-3-small' }] } },
    header: ['authorization', /^Bearer given-key$/],
    models: [{ id: 'gpt-5' }],
  },
  google: {
    access: { type: 'google', ...at },
    answers: {
      '/models?pageSize=1000': {
        models: [
          {
            name: 'models/gemini',
            displayName: 'Gemini',
            inputTokenLimit: 1_000_000,
            outputTokenLimit: 65_536,
            supportedGenerationMethods: ['generateContent'],
          },
          { name: 'models/embedding', supportedGenerationMethods: ['embedContent'] },
        ],
      },
    },
    header: ['x-goog-api-key', /^given-key$/],
    models: [{ id: 'gemini', name: 'Gemini', context_limit: 1_000_000, max_output_tokens: 65_536 }],
  },
  azure: {
    access: { type: 'azure', ...at },
    answers: { '/models': { data: [{ id: 'gpt-5' }] } },
    header: ['api-key', /^given-key$/],
    models: [{ id: 'gpt-5' }],
  },
  bedrock: {
    access: {
      type: 'bedrock',
      base_url: 'https://x.example/v1/',
      access_key_id: 'AKIA',
      secret_access_key: 'secret',
    },
    answers: {
      '/foundation-models': {
        modelSummaries: [
          { modelId: 'a.claude', modelName: 'Claude', outputModalities: ['TEXT'] },
          { modelId: 'a.canvas', modelName: 'Canvas', outputModalities: ['IMAGE'] },
        ],
      },
    },
    header: ['authorization', /^AWS4-HMAC-SHA256 Credential=AKIA\/\d{8}\/us-east-1\/bedrock/],
    models: [{ id: 'a.claude', name: 'Claude' }],
  },
  'openai-compatible': {
    access: { type: 'openai-compatible', ...at },
    answers: { '/models': { data: [{ id: 'llama3' }] } },
    header: ['authorization', /^Bearer given-key$/],
    models: [{ id: 'llama3' }],
  },
  openrouter: {
    access: { type: 'openrouter', ...at },
    answers: {
      '/key': { data: {} },
      '/models': {
        data: [
          {
            id: 'a/claude',
            name: 'Claude',
            context_length: 200_000,
            top_provider: { max_completion_tokens: 64_000 },
            pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' },
          },
          { id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } },
        ],
      },
    },
    header: ['authorization', /^Bearer given-key$/],
    models: [
      {
        id: 'a/claude',
        name: 'Claude',
        context_limit: 200_000,
        max_output_tokens: 64_000,
        price: { input: 3_000_000, output: 15_000_000, cache_read: 300_000 },
      },
      { id: 'openrouter/auto' },
    ],
  },
  vercel: {
    access: { type: 'vercel', ...at },
    answers: {
      '/config': {
        models: [
          {
            id: 'a/claude',
            name: 'Claude',
            modelType: 'language',
            pricing: { input: '0.000003', output: '0.000015' },
            specification: { specificationVersion: 'v4', provider: 'a', modelId: 'claude' },
          },
        ],
      },
    },
    header: ['authorization', /^Bearer given-key$/],
    models: [{ id: 'a/claude', name: 'Claude', price: { input: 3_000_000, output: 15_000_000 } }],
  },
};

const { signal } = new AbortController();
const refusing = () =>
  Promise.resolve(Response.json({ error: { message: 'no' } }, { status: 401 }));
const respondingWithHtml = () => Promise.resolve(new Response('<html>'));

test.each(Object.entries(CASES))(
  '%s lists its models',
  async (type, { access, answers, header, models }) => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      const path = (input instanceof Request ? input.url : String(input)).replace(
        'https://x.example/v1',
        '',
      );
      asked.push(path);
      expect(new Headers(init?.headers).get(header[0])).toMatch(header[1]);
      return Promise.resolve(Response.json(answers[path], { status: path in answers ? 200 : 404 }));
    };
    const kind = KINDS[type as ProviderType];
    expect(await kind.listModels(access, { fetch, signal })).toEqual(models);
    expect(asked).toEqual(Object.keys(answers));
  },
);

test.each(Object.entries(CASES))('%s reports a refused key', async (type, one) => {
  const kind = KINDS[type as ProviderType];
  await expect(kind.listModels(one.access, { fetch: refusing, signal })).rejects.toMatchObject({
    statusCode: 401,
  });
});

test('a response that is not a list of models is a configuration error', async () => {
  await expect(
    KINDS.openai.listModels({ type: 'openai', ...at }, { fetch: respondingWithHtml, signal }),
  ).rejects.toMatchObject({ kind: 'config' });
});

test('prices of gateways are converted to micros per million tokens', () => {
  expect(priceOfTokens({ input: '0.00000125', output: '0.00001' })).toEqual({
    price: { input: 1_250_000, output: 10_000_000 },
  });
  expect(priceOfTokens({ input: '0.1', output: undefined })).toEqual({});
});
