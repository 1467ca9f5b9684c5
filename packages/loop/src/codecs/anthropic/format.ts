import { isFields, isString } from '../fields.ts';
import { withPrompt } from '../package-decoder.ts';
import type { WireFormat } from '../wire-format.ts';
import { AnthropicDecoder } from './decoder.ts';
import { AnthropicPrompts } from './prompt.ts';

const PROBE: WireFormat['probe'] = [{ role: 'user', content: [{ type: 'text', text: 'probe' }] }];

/** Anthropic's Messages API. */
export const anthropicFormat: WireFormat = {
  probe: PROBE,
  promptFields: ['system', 'messages'],
  headers: ['anthropic-beta'],
  path: () => '/messages',
  prompts({ headers }, { tools = [], providerOptions }) {
    const { sendReasoning, includePings } = providerOptions?.['anthropic'] ?? {};
    if (sendReasoning === false || includePings === true) return undefined;
    // Calls of a toolset are encoded as calls of its members.
    if (tools.some((tool) => tool.type === 'provider' && tool.id.includes('toolset')))
      return undefined;
    const prompts = new AnthropicPrompts(headers['anthropic-beta'] ?? '');
    return ({ prompt }) => prompts.encode(prompt);
  },
  decoder: (_, replay, received, emit) =>
    new AnthropicDecoder(withPrompt(replay, PROBE), received, emit),
  errorMessage(body) {
    const error = isFields(body) && body['type'] === 'error' ? body['error'] : undefined;
    const { type, message } = isFields(error) ? error : {};
    return isString(type) && isString(message) ? message : undefined;
  },
};
