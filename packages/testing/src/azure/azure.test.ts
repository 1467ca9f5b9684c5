import { createAzure } from '@ai-sdk/azure';
import { afterEach, expect, test } from 'vitest';
import { collect } from '../../test/support/collect.ts';
import { modelOf } from '../../test/support/models.ts';
import { post } from '../../test/support/post.ts';
import { type Api, answer, fault, type FakeProvider, startFakeProvider, text } from '../index.ts';

let provider: FakeProvider;
afterEach(() => provider.close());

async function start(api: Api, key?: string): Promise<void> {
  provider = await startFakeProvider({ api, ...(key !== undefined && { key }) });
  provider.answerWith(() => answer([text('Fine.')]));
}

const CHAT = { stream: true, messages: [{ role: 'user', content: 'x' }] };

test.each(['azure-chat', 'azure-responses'] as const)(
  '%s requires its key in its own header',
  async (api) => {
    await start(api, 'right');
    expect((await collect(modelOf(provider, { key: 'right' }))).text).toBe('Fine.');
    expect(provider.requests[0]?.headers['api-key']).toBe('right');
    const { error } = await collect(modelOf(provider, { key: 'wrong' }));
    expect(error).toMatchObject({
      statusCode: 401,
      message: expect.stringContaining('Access denied'),
    });
  },
);

test('a deployment has its own path and a dated API version', async () => {
  await start('azure-chat');
  const options = {
    apiKey: 'a key',
    useDeploymentBasedUrls: true,
    apiVersion: '2025-04-01-preview',
  };
  const base = provider.url.replace(/\/v1$/, '');
  const model = createAzure({ ...options, baseURL: base }).chat('my-deployment');
  expect((await collect(model)).text).toBe('Fine.');
  expect(provider.requests[0]).toMatchObject({
    path: '/openai/deployments/my-deployment/chat/completions',
    query: 'api-version=2025-04-01-preview',
  });
});

test.each([
  ['/openai/deployments/d/chat/completions', 404],
  ['/openai/deployments/d/chat/completions?api-version=v1', 404],
  ['/openai/deployments/d/chat/completions?api-version=2024-10-21', 200],
  ['/openai/v1/chat/completions?api-version=2024-10-21', 400],
  ['/openai/v1/chat/completions?api-version=preview', 200],
])('%s is answered with %i', async (path, status) => {
  await start('azure-chat');
  const response = await fetch(new URL(path, provider.url), {
    method: 'POST',
    headers: { 'api-key': 'a key', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'd', ...CHAT }),
  });
  expect(response.status).toBe(status);
});

test('a filtered prompt is a 400 with the reason in an inner error', async () => {
  await start('azure-chat');
  provider.answer(fault.contentFilter());
  expect(await post(provider, { model: 'm', ...CHAT })).toMatchObject({
    status: 400,
    body: {
      error: { code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } },
    },
  });
});

test('a rate limit has a retry-after header', async () => {
  await start('azure-responses');
  provider.answer(fault.rateLimit());
  const { error } = await collect(modelOf(provider));
  expect(error).toMatchObject({ statusCode: 429, responseHeaders: { 'retry-after': '3' } });
});

test('a stream starts with the filter results of the prompt', async () => {
  await start('azure-chat');
  const { body } = await post(provider, { model: 'm', ...CHAT });
  expect(String(body).split('\n\n')[0]).toContain('prompt_filter_results');
});
