import type { AnswerPart, Api } from '@chatd/testing';
import type { ModelSettings } from '@chatd/loop';

/** A model for a conversation, and the kinds of parts that it can send. */
export interface Target {
  readonly api: Api;
  readonly model: string;
  readonly settings: ModelSettings;
  readonly carries: ReadonlySet<AnswerPart['type']>;
}

const CARRIED: Record<Api, readonly AnswerPart['type'][]> = {
  anthropic: ['reasoning', 'web-search'],
  'openai-responses': ['reasoning', 'web-search', 'file'],
  'openai-chat': [],
  'openai-compatible': ['reasoning'],
  'azure-responses': ['reasoning', 'web-search', 'file'],
  'azure-chat': [],
  google: ['reasoning', 'web-search', 'file'],
  bedrock: ['reasoning'],
  openrouter: ['reasoning', 'web-search'],
  gateway: ['reasoning', 'web-search'],
};

const target = (api: Api, model: string, settings: ModelSettings = {}): Target => ({
  api,
  model,
  settings,
  carries: new Set(
    CARRIED[api].filter((type) => type !== 'web-search' || settings.web_search !== undefined),
  ),
});

const search = { web_search: {} };
const store = (namespace: string, value: boolean) => ({
  provider_options: { [namespace]: { store: value } },
});

export const TARGETS: readonly Target[] = [
  target('anthropic', 'claude-sonnet-4-5', search),
  target('anthropic', 'claude-opus-4-6'),
  target('openai-responses', 'gpt-5', search),
  target('openai-responses', 'gpt-5', { ...search, ...store('openai', true) }),
  target('openai-responses', 'gpt-5-mini', store('openai', false)),
  target('azure-responses', 'gpt-5', store('azure', false)),
  target('openai-chat', 'gpt-5'),
  target('azure-chat', 'gpt-5'),
  target('openai-compatible', 'some-model'),
  target('google', 'gemini-3-pro-preview', search),
  target('google', 'gemini-2.5-flash'),
  target('bedrock', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'),
  target('openrouter', 'anthropic/claude-sonnet-4.5', search),
  target('openrouter', 'openai/gpt-5'),
  target('gateway', 'anthropic/claude-sonnet-4.5', search),
  target('gateway', 'openai/gpt-5'),
  target('gateway', 'google/gemini-3-pro-preview'),
];
