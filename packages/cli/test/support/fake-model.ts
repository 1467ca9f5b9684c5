import { randomUUID } from 'node:crypto';
import type { Client } from '@chatd/client';
import { answer, startFakeProvider, text } from '@chatd/testing';
import { onTestFinished } from 'vitest';

/** A model that says these words, one after the other; titles and the rest get a word. Answers its name. */
export async function fakeModel(client: Client, words: readonly string[]): Promise<string> {
  const provider = await startFakeProvider({ api: 'openai-compatible' });
  onTestFinished(() => provider.close());
  const left = [...words];
  // Titles are asked for without tools, and beside the turn.
  provider.answerWith(({ body }) => {
    const isTurn = JSON.stringify(body).includes('"stream":true');
    return answer([text((isTurn ? left.shift() : undefined) ?? 'word', { chunks: 7 })]);
  });
  const name = `fake-${randomUUID().slice(0, 8)}`;
  const { id } = await client.call('createProvider', {
    body: { type: 'openai-compatible', name, base_url: provider.url },
  });
  await client.call('createModelConfig', {
    body: { provider_id: id, model: name, display_name: name, context_limit: 100_000 },
  });
  return name;
}
