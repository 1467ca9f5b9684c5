import { tool } from '@chatd/loop';
import { startTestServer } from '@chatd/test-server';
import { answer, startFakeProvider, text } from '@chatd/testing';
import OpenAI from 'openai';
import { afterAll } from 'vitest';
import { z } from 'zod';

export const MODEL = 'claude-sonnet-4-5';

/** Starts a server with one scripted model, and an OpenAI client for its owner. */
export async function startFace() {
  const look = tool({
    name: 'look',
    input: z.strictObject({}),
    idempotent: true,
    run: () => 'seen',
  });
  const provider = await startFakeProvider({ api: 'anthropic' });
  afterAll(() => provider.close());
  const server = await startTestServer(
    { concurrency: 4, secretKey: 'a-secret-key-of-the-tests' },
    { tools: [look] },
  );
  const { admin } = server;
  // Titles come from another provider, so that they use up no scripted answer.
  const titles = await startFakeProvider({ api: 'anthropic' });
  afterAll(() => titles.close());
  titles.answerWith(() => answer([text('A title')]));
  const configOf = async (name: string, base_url: string, more: object) => {
    const { id: provider_id } = await admin.ok('createProvider', {
      body: { type: 'anthropic', name, base_url, api_key: 'sk-ant-any-key' },
    });
    const body = { provider_id, display_name: name, context_limit: 200_000, ...more };
    return (await admin.ok('createModelConfig', { body })).id;
  };
  const title = await configOf('Titles', titles.url, { model: 'claude-haiku-4-5' });
  await configOf('Claude', provider.url, {
    model: MODEL,
    is_default: true,
    title_model_config_id: title,
  });
  return { ...server, provider, openai: clientOf(server.url, server.owner.headers), clientOf };
}

/** An unmodified OpenAI client without retries. */
export const clientOf = (url: string, headers: Readonly<Record<string, string>>): OpenAI =>
  new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: headers['authorization']?.replace('Bearer ', '') ?? 'none',
    maxRetries: 0,
  });

/** The chat ID in a response ID or conversation ID. */
export function chatOf(id: string): string {
  const hex = id.replace(/^[a-z]+_/, '').slice(0, 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
