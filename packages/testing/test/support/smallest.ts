import type { Api } from '../../src/index.ts';

const CHAT = { model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] };

/** The smallest request that each API accepts. */
export const SMALLEST: Record<Api, Record<string, unknown>> = {
  anthropic: { ...CHAT, max_tokens: 1 },
  'openai-responses': { model: 'm', stream: true, input: 'x' },
  'openai-chat': CHAT,
  'openai-compatible': CHAT,
  'azure-responses': { model: 'm', stream: true, input: 'x' },
  'azure-chat': CHAT,
  google: { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
  bedrock: { messages: [{ role: 'user', content: [{ text: 'x' }] }] },
  openrouter: CHAT,
  gateway: { prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
};
