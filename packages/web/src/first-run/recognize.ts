import type { ProviderType } from '@chatd/protocol';

export interface Recognized {
  readonly type: Exclude<ProviderType, 'demo'>;
  readonly name: string;
}

/** The more specific prefix comes first. */
const PREFIXES: readonly (readonly [prefix: string, recognized: Recognized])[] = [
  ['sk-ant-', { type: 'anthropic', name: 'Anthropic' }],
  ['sk-or-', { type: 'openrouter', name: 'OpenRouter' }],
  ['sk-', { type: 'openai', name: 'OpenAI' }],
  ['AIza', { type: 'google', name: 'Google' }],
  ['vck_', { type: 'vercel', name: 'Vercel AI Gateway' }],
  ['http://', { type: 'openai-compatible', name: 'OpenAI-compatible server' }],
  ['https://', { type: 'openai-compatible', name: 'OpenAI-compatible server' }],
];

/** The provider of an API key or the type of a server URL. Undefined: unknown. */
export const recognize = (text: string): Recognized | undefined =>
  PREFIXES.find(([prefix]) => text.trim().startsWith(prefix))?.[1];
