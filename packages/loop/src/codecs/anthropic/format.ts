import { isFields, isString } from '../fields.ts';
import type { WireFormat } from '../wire-format.ts';
import { AnthropicDecoder } from './decoder.ts';
import { AnthropicPrompts } from './prompt.ts';

/** Anthropic's Messages API. */
export const anthropicFormat: WireFormat = {
  probe: [{ role: 'user', content: [{ type: 'text', text: 'probe' }] }],
  promptFields: ['system', 'messages'],
  headers: ['anthropic-beta'],
  path: () => '/messages',
  prompts({ headers }, { tools = [], providerOptions }) {
    const { sendReasoning, includePings } = providerOptions?.['anthropic'] ?? {};
    if (sendReasoning === false || includePings === true) return undefined;
    // Calls of a toolset are encoded as calls of its members.
    if (tools.some((tool) => tool.type === 'provider' && tool.id.includes('toolset')))
      return undefined;
    const prompts = new AnthropicPrompts(headers.get('anthropic-beta') ?? '');
    return ({ prompt }) => prompts.encode(prompt);
  },
  decoder: (_, replay, received, emit) => new AnthropicDecoder(replay, received, emit),
  errorMessage(body) {
    const error = isFields(body) && body['type'] === 'error' ? body['error'] : undefined;
    const { type, message } = isFields(error) ? error : {};
    return isString(type) && isString(message) ? message : undefined;
  },
};
