import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';

/** One API of each family. Tests of the server cover the others. */
export const APIS = ['anthropic', 'openai-responses', 'openai-compatible', 'google'] as const;
export type Api = (typeof APIS)[number];

/** A model of the real provider package of an API, with the given base URL. */
export function modelOf(
  api: Api,
  baseURL: string,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): LanguageModelV4 {
  const options = { baseURL, apiKey: 'test-key', fetch };
  switch (api) {
    case 'anthropic':
      return createAnthropic(options)('claude-sonnet-4-5');
    case 'openai-responses':
      return createOpenAI(options).responses('gpt-5');
    case 'openai-compatible':
      return createOpenAICompatible({ ...options, name: 'compatible', includeUsage: true })(
        'some-model',
      );
    case 'google':
      return createGoogle(options)('gemini-3-pro-preview');
  }
}
