import { runTurn } from '@chatd/loop';
import { type Api, answer, startFakeProvider, text } from '@chatd/testing';
import { expect, test } from 'vitest';
import { asked, textOf } from '../../../loop/test/support/chat.ts';
import type { ProviderAccess } from '../../src/providers/access.ts';
import { modelOf } from './support/drive.ts';
import { SUBJECTS } from './support/subjects.ts';

/** Special forms of access: another form of URL, or a signature instead of a key. */
const ACCESS_VARIANTS: readonly {
  readonly how: string;
  readonly api: Api;
  readonly key: string;
  readonly access: Omit<ProviderAccess, 'base_url'>;
  readonly path: string;
}[] = [
  {
    how: 'an Azure deployment URL',
    api: 'azure-chat',
    key: 'a-key',
    access: {
      type: 'azure',
      api_key: 'a-key',
      options: { api: 'chat', deployment_urls: true, api_version: '2025-04-01-preview' },
    },
    path: '/openai/deployments/gpt-5/chat/completions',
  },
  {
    how: 'Bedrock with a signature',
    api: 'bedrock',
    key: 'AKID:the secret',
    access: {
      type: 'bedrock',
      access_key_id: 'AKID',
      secret_access_key: 'the secret',
      session_token: 'for an hour',
      options: { region: 'eu-central-1' },
    },
    path: '/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream',
  },
];

test.each(ACCESS_VARIANTS)('$how is accepted', async ({ api, key, access, path }) => {
  await using fake = await startFakeProvider({ api, key });
  fake.answer(answer([text('Fine.')]));
  const known = SUBJECTS.find((one) => one.api === api)!;
  const url =
    access.options?.['deployment_urls'] === true ? fake.url.replace(/\/v1$/, '') : fake.url;
  const history = asked();
  await runTurn({ model: await modelOf({ ...known, access }, { ...fake, url }), history });
  expect(fake.rejected).toEqual([]);
  expect(textOf(history.messages)).toBe('Fine.');
  expect(fake.requests.map((request) => request.path)).toEqual([path]);
});

test.each([
  ['the prompt', { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }],
  ['the answer', { candidates: [{ finishReason: 'PROHIBITED_CONTENT', index: 0 }] }],
])('a refusal of %s by Google in an otherwise empty stream fails the turn', async (_, said) => {
  await using fake = await startFakeProvider({ api: 'google' });
  const line = JSON.stringify({
    ...said,
    usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
  });
  fake.answer({ kind: 'recording', lines: [line] });
  const google = SUBJECTS.find((one) => one.api === 'google')!;
  const outcome = await runTurn({ model: await modelOf(google, fake), history: asked() });
  expect(outcome).toMatchObject({ type: 'failed', error: { kind: 'content_filter' } });
});
