import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { CodecName } from '../../../src/codecs/provider-codec.ts';

type Fetch = typeof globalThis.fetch;

export interface Api {
  readonly codec: CodecName;
  readonly models: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  model(modelId: string, fetch: Fetch): LanguageModelV4;
}

const baseURL = 'http://provider.test/v1';
const apiKey = 'test-key';

export const urlOf = (path: string) => `${baseURL}${path}`;

export const APIS = {
  anthropic: {
    codec: 'anthropic',
    models: ['claude-sonnet-4-5', 'claude-opus-5', 'claude-fable-5-1', 'unknown-model'],
    headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
    model: (id, fetch) => createAnthropic({ baseURL, apiKey, fetch })(id),
  },
  'openai-responses': {
    codec: 'openai',
    models: ['gpt-5', 'gpt-4.1', 'gpt-6.1-sol', 'unknown-model'],
    headers: { authorization: `Bearer ${apiKey}` },
    model: (id, fetch) => createOpenAI({ baseURL, apiKey, fetch }).responses(id),
  },
  google: {
    codec: 'google',
    models: ['gemini-3-pro-preview', 'gemini-2.5-flash', 'gemma-3-27b-it'],
    headers: { 'x-goog-api-key': apiKey },
    model: (id, fetch) => createGoogle({ baseURL, apiKey, fetch })(id),
  },
  'openai-chat': {
    codec: 'openai-chat',
    models: ['gpt-4.1', 'gpt-5', 'gpt-6.1-sol', 'unknown-model'],
    headers: { authorization: `Bearer ${apiKey}` },
    model: (id, fetch) => createOpenAI({ baseURL, apiKey, fetch }).chat(id),
  },
  'openai-compatible': {
    codec: 'openai-compatible',
    models: ['qwen3'],
    headers: { authorization: `Bearer ${apiKey}` },
    model: (id, fetch) =>
      createOpenAICompatible({
        name: 'openai-compatible',
        baseURL,
        apiKey,
        fetch,
        includeUsage: true,
      })(id),
  },
  'openai-compatible with media in results': {
    codec: 'openai-compatible-media',
    models: ['qwen3'],
    headers: { authorization: `Bearer ${apiKey}` },
    model: (id, fetch) =>
      createOpenAICompatible({
        name: 'openai-compatible',
        baseURL,
        apiKey,
        fetch,
        includeUsage: true,
        supportsMultiPartToolContent: true,
      })(id),
  },
} satisfies Record<string, Api>;

export type ApiName = keyof typeof APIS;
export const NAMES = Object.keys(APIS) as ApiName[];
