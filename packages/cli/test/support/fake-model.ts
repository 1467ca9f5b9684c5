import { randomUUID } from 'node:crypto';
import type { Client } from '@chatd/client';
import { answer, startFakeProvider, text } from '@chatd/testing';
import { onTestFinished } from 'vitest';

/** Adds a model that always answers with this text. Returns its name. */
export async function fakeModel(client: Client, words: string): Promise<string> {
  const provider = await startFakeProvider({ api: 'openai-compatible' });
  onTestFinished(() => provider.close());
  provider.answerWith(() => answer([text(words, { chunks: 7 })]));
  const name = `fake-${randomUUID().slice(0, 8)}`;
  const { id } = await client.call('createProvider', {
    body: { type: 'openai-compatible', name, base_url: provider.url },
  });
  await client.call('createModelConfig', {
    body: { provider_id: id, model: name, display_name: name, context_limit: 100_000 },
  });
  return name;
}
