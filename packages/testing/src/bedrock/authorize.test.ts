import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { afterEach, expect, test } from 'vitest';
import { collect } from '../../test/support/collect.ts';
import { modelOf } from '../../test/support/models.ts';
import { post } from '../../test/support/post.ts';
import { answer, type FakeProvider, startFakeProvider, text } from '../index.ts';

let provider: FakeProvider;
afterEach(() => provider.close());

async function start(key?: string): Promise<void> {
  provider = await startFakeProvider({ api: 'bedrock', ...(key !== undefined && { key }) });
  provider.answerWith(() => answer([text('Fine.')]));
}

const signed = (accessKeyId: string, secretAccessKey: string) =>
  createAmazonBedrock({ baseURL: provider.url, region: 'eu-west-1', accessKeyId, secretAccessKey })(
    'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  );

test('an API key is a bearer token, and only the right key is accepted', async () => {
  await start('right');
  expect((await collect(modelOf(provider, { key: 'right' }))).text).toBe('Fine.');
  const { error } = await collect(modelOf(provider, { key: 'wrong' }));
  expect(error).toMatchObject({
    statusCode: 403,
    responseHeaders: { 'x-amzn-errortype': 'UnrecognizedClientException' },
  });
});

test('a signature with the right secret is accepted', async () => {
  await start('AKID:secret');
  expect((await collect(signed('AKID', 'secret'))).text).toBe('Fine.');
});

test.each([
  ['another secret', 'AKID', 'guessed', 'does not match the signature you provided'],
  ['another id', 'OTHER', 'secret', 'security token included in the request is invalid'],
])('a signature with %s is refused', async (_, id, secret, message) => {
  await start('AKID:secret');
  const { error } = await collect(signed(id, secret));
  expect(error).toMatchObject({ statusCode: 403, message: expect.stringContaining(message) });
});

test('a request with neither a key nor a signature is refused', async () => {
  await start();
  const body = { messages: [{ role: 'user', content: [{ text: 'x' }] }] };
  expect(await post(provider, body, { headers: {} })).toMatchObject({ status: 403 });
  const basic = { headers: { authorization: 'Basic x' } };
  expect(await post(provider, body, basic)).toMatchObject({ status: 403 });
});
