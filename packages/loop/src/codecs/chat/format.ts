import { areOptional, type Fields, isFields, isString } from '../fields.ts';
import { listEncoder } from '../prompt-json.ts';
import type { WireFormat } from '../wire-format.ts';
import { ChatDecoder } from './decoder.ts';
import { chatMessages } from './prompt.ts';

const TEXT = 'probe';
const call = { toolCallId: TEXT, toolName: TEXT };

/**
 * The Chat Completions API, through OpenAI's package (`openai`, also for Azure) or the package for compatible services
 * (`compatible`, named `openai-compatible`).
 */
export function chatFormat(dialect: 'openai' | 'compatible'): WireFormat {
  const isCompatible = dialect === 'compatible';
  return {
    probe: [
      { role: 'system', content: TEXT },
      { role: 'user', content: [{ type: 'text', text: TEXT }] },
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            ...call,
            output: { type: 'content', value: [{ type: 'text', text: TEXT }] },
          },
        ],
      },
    ],
    promptFields: ['messages'],
    headers: [],
    path: () => '/chat/completions',

    prompts({ probe: { messages } }) {
      const [system, , , result] = Array.isArray(messages) ? (messages as Fields[]) : [];
      const systemRole = system?.['role'];
      if (systemRole !== 'system' && systemRole !== 'developer') return undefined;
      const options = { isCompatible, systemRole, mediaInResults: !isString(result?.['content']) };
      const encode = listEncoder('messages', (message) => {
        const converted = chatMessages(message, options);
        return converted && JSON.stringify(converted).slice(1, -1);
      });
      return ({ prompt }) => encode(prompt);
    },

    decoder({ providerOptions }, replay, received, emit) {
      // The package uses the name under which it finds options.
      const isNamed = providerOptions?.['openaiCompatible'] !== undefined;
      const metadataName = isCompatible
        ? isNamed
          ? 'openaiCompatible'
          : 'openai-compatible'
        : 'openai';
      return new ChatDecoder(replay, received, emit, { isCompatible, metadataName });
    },

    errorMessage(body) {
      const error = isFields(body) ? body['error'] : undefined;
      if (!isFields(error) || !areOptional(error, 'string', ['type'])) return undefined;
      return isString(error['message']) ? error['message'] : undefined;
    },
  };
}
