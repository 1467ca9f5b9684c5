import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Api, FakeProvider } from '../../src/index.ts';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

const MODELS: Record<Api, (baseURL: string, apiKey: string, id?: string) => LanguageModelV4> = {
  anthropic: (baseURL, apiKey, id = 'claude-sonnet-4-5') =>
    createAnthropic({ baseURL, apiKey })(id),
  'openai-responses': (baseURL, apiKey, id = 'gpt-5') =>
    createOpenAI({ baseURL, apiKey }).responses(id),
  'openai-chat': (baseURL, apiKey, id = 'some-model') =>
    createOpenAICompatible({ name: 'compatible', baseURL, apiKey, includeUsage: true })(id),
  google: (baseURL, apiKey, id = 'gemini-3-pro-preview') => createGoogle({ baseURL, apiKey })(id),
};

/** The model that a user of the real provider package would have, pointed at the fake provider. */
export function modelOf(
  { api, url }: FakeProvider,
  options: { key?: string; id?: string } = {},
): LanguageModelV4 {
  return MODELS[api](url, options.key ?? 'a key', options.id);
}
