import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Api, FakeProvider, InProcessProvider } from '../../src/index.ts';
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createGateway } from '@ai-sdk/gateway';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';

interface Connection {
  baseURL: string;
  apiKey: string;
  fetch?: typeof globalThis.fetch;
}

type Create = (options: Connection, id: string) => LanguageModelV4;

/** The package of each API, with a typical model. */
const MODELS: Record<Api, [create: Create, id: string]> = {
  anthropic: [(options, id) => createAnthropic(options)(id), 'claude-sonnet-4-5'],
  'openai-responses': [(options, id) => createOpenAI(options).responses(id), 'gpt-5'],
  'openai-chat': [(options, id) => createOpenAI(options).chat(id), 'gpt-5'],
  'openai-compatible': [
    (options, id) =>
      createOpenAICompatible({ ...options, name: 'compatible', includeUsage: true })(id),
    'some-model',
  ],
  'azure-responses': [(options, id) => createAzure(options).responses(id), 'gpt-5'],
  'azure-chat': [(options, id) => createAzure(options).chat(id), 'gpt-5'],
  google: [(options, id) => createGoogle(options)(id), 'gemini-3-pro-preview'],
  bedrock: [
    (options, id) => createAmazonBedrock({ ...options, region: 'eu-central-1' })(id),
    'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  ],
  openrouter: [(options, id) => createOpenRouter(options)(id), 'anthropic/claude-sonnet-4.5'],
  gateway: [(options, id) => createGateway(options)(id), 'anthropic/claude-sonnet-4.5'],
};

/** A model of the real provider package, with the base URL of the fake provider. */
export function modelOf(
  provider: FakeProvider | InProcessProvider,
  options: { key?: string; id?: string } = {},
): LanguageModelV4 {
  const [create, id] = MODELS[provider.api];
  const connection = { baseURL: provider.url, apiKey: options.key ?? 'a key' };
  const own = 'fetch' in provider ? { fetch: provider.fetch } : {};
  return create({ ...connection, ...own }, options.id ?? id);
}
