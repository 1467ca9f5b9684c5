import type { ModelSettings } from '@chatd/loop';
import type { Api } from '@chatd/testing';
import type { ProviderAccess } from '../../../src/providers/access.ts';

/** Matches output of the model that is sent back in a request. `none`: there is nothing to send. */
type Proof = RegExp | 'none';

/** One way to access a model, and what is specific to it. Missing features are stated explicitly. */
export interface Subject {
  readonly name: string;
  readonly api: Api;
  readonly model: string;
  readonly access: Omit<ProviderAccess, 'base_url'>;
  readonly settings: ModelSettings;
  /** `kept`: the model reasons, but the service does not return it. */
  readonly reasoning: { readonly shown: 'in parts' | 'kept'; readonly proof: Proof };
  readonly search:
    | 'none'
    | {
        /** Matches the tool in a request. */
        readonly offered: RegExp;
        /** The part of a search that is sent back in the next turn. `none`: the service returns only sources. */
        readonly proof: Proof;
      };
  /** Matches a high effort in a request. */
  readonly effort: RegExp;
  /** Matches an image that a tool returned. */
  readonly image: RegExp;
  readonly counts: { readonly cacheWrites: boolean; readonly reasoning: boolean };
  /** Matches a cache marker in a request. `none`: the service caches without markers. */
  readonly cacheMark: RegExp | 'none';
}

const key = { api_key: 'a-key-for-this-fake' };
const all = { cacheWrites: true, reasoning: true };
const settings = { max_output_tokens: 1_000 };
const unstored = (name: string): ModelSettings => ({
  ...settings,
  provider_options: { [name]: { store: false } },
});
/** A user message after those of the tools: images are allowed nowhere else. */
const chatImage =
  /"role":"user","content":\[\{"type":"text",.{0,99}"type":"image_url","image_url":\{"url":"data:image\/png;/;

const responses = {
  effort: /"reasoning":\{"effort":"high"/,
  reasoning: { shown: 'in parts', proof: /"encrypted_content":"proof"/ },
  search: { offered: /"type":"web_search"/, proof: /"id":"search"/ },
  image: /"type":"input_image","image_url":"data:image\/png;base64,/,
  counts: all,
  cacheMark: 'none',
} as const;

const chat = {
  effort: /"reasoning_effort":"high"/,
  reasoning: { shown: 'kept', proof: 'none' },
  search: 'none',
  image: chatImage,
  counts: all,
  cacheMark: 'none',
} as const;

const gateway = {
  effort: /"reasoning":"high"/,
  api: 'gateway',
  access: { type: 'vercel', ...key },
  settings,
  image: /"mediaType":"image\/png"/,
  counts: all,
} as const;

export const SUBJECTS: readonly Subject[] = [
  {
    name: 'anthropic',
    api: 'anthropic',
    model: 'claude-sonnet-4-5',
    access: { type: 'anthropic', ...key },
    settings,
    reasoning: { shown: 'in parts', proof: /"signature":"proof"/ },
    search: { offered: /"type":"web_search_20250305"/, proof: /"encrypted_content":"sealed"/ },
    effort: /"thinking":\{"type":"enabled","budget_tokens":/,
    image: /"type":"image","source":\{"type":"base64","media_type":"image\/png"/,
    counts: all,
    cacheMark: /"cache_control":/g,
  },
  {
    name: 'openai over Responses',
    api: 'openai-responses',
    model: 'gpt-5',
    access: { type: 'openai', ...key },
    settings: unstored('openai'),
    ...responses,
  },
  {
    name: 'openai over Chat Completions',
    api: 'openai-chat',
    model: 'gpt-5',
    access: { type: 'openai', options: { api: 'chat' }, ...key },
    settings,
    ...chat,
  },
  {
    name: 'google',
    api: 'google',
    model: 'gemini-3-pro-preview',
    access: { type: 'google', ...key },
    settings,
    reasoning: { shown: 'in parts', proof: /"thoughtSignature":"proof"/ },
    search: { offered: /"googleSearch":\{\}/, proof: 'none' },
    effort: /"thinkingConfig":\{"thinkingLevel":"high"/,
    image: /"inlineData":\{"mimeType":"image\/png"/,
    counts: { cacheWrites: false, reasoning: true },
    cacheMark: 'none',
  },
  {
    name: 'azure over Responses',
    api: 'azure-responses',
    model: 'gpt-5',
    access: { type: 'azure', ...key },
    settings: unstored('azure'),
    ...responses,
  },
  {
    name: 'azure over Chat Completions',
    api: 'azure-chat',
    model: 'gpt-5',
    access: { type: 'azure', options: { api: 'chat' }, ...key },
    settings,
    ...chat,
  },
  {
    name: 'bedrock',
    api: 'bedrock',
    model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    access: { type: 'bedrock', options: { region: 'eu-central-1' }, ...key },
    settings,
    reasoning: { shown: 'in parts', proof: /"signature":"proof"/ },
    search: 'none',
    effort: /"additionalModelRequestFields":\{"thinking":\{"type":"enabled"/,
    image: /"toolResult":.*"image":\{"format":"png","source":\{"bytes":"/,
    counts: { cacheWrites: true, reasoning: false },
    cacheMark: /"cachePoint":/g,
  },
  {
    name: 'openai-compatible',
    api: 'openai-compatible',
    model: 'some-model',
    access: { type: 'openai-compatible' },
    settings,
    ...chat,
    reasoning: { shown: 'in parts', proof: /"reasoning_content":"two sums"/ },
    counts: { cacheWrites: false, reasoning: true },
  },
  {
    name: 'openrouter, a model of Anthropic',
    api: 'openrouter',
    model: 'anthropic/claude-sonnet-4.5',
    access: { type: 'openrouter', ...key },
    settings,
    reasoning: { shown: 'in parts', proof: /"signature":"proof"/ },
    search: { offered: /"type":"openrouter:web_search"/, proof: 'none' },
    effort: /"reasoning":\{"effort":"high"\}/,
    image: chatImage,
    counts: all,
    cacheMark: /"cache_control":/g,
  },
  {
    name: 'openrouter, a model of OpenAI',
    api: 'openrouter',
    model: 'openai/gpt-5',
    access: { type: 'openrouter', ...key },
    settings,
    reasoning: { shown: 'in parts', proof: /"type":"reasoning.encrypted",[^}]*"data":"proof"/ },
    search: { offered: /"type":"openrouter:web_search"/, proof: 'none' },
    effort: /"reasoning":\{"effort":"high"\}/,
    image: chatImage,
    counts: all,
    cacheMark: 'none',
  },
  {
    ...gateway,
    name: 'vercel gateway, a model of Anthropic',
    model: 'anthropic/claude-sonnet-4.5',
    reasoning: { shown: 'in parts', proof: /"signature":"proof"/ },
    search: {
      offered: /"id":"anthropic.web_search_20250305"/,
      proof: /"encryptedContent":"sealed"/,
    },
    cacheMark: /"cacheControl":/g,
  },
  {
    ...gateway,
    name: 'vercel gateway, a model of OpenAI',
    model: 'openai/gpt-5',
    settings: unstored('openai'),
    reasoning: { shown: 'in parts', proof: /"reasoningEncryptedContent":"proof"/ },
    search: { offered: /"id":"openai.web_search"/, proof: /"toolCallId":"search"/ },
    cacheMark: 'none',
  },
  {
    ...gateway,
    name: 'vercel gateway, a model of Google',
    model: 'google/gemini-3-pro-preview',
    reasoning: { shown: 'in parts', proof: /"thoughtSignature":"proof"/ },
    search: { offered: /"id":"google.google_search"/, proof: 'none' },
    cacheMark: 'none',
  },
];
