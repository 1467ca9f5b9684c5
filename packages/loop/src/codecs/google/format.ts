import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { isFields, isString } from '../fields.ts';
import { MessageJson } from '../message-json.ts';
import type { WireFormat } from '../wire-format.ts';
import { GoogleDecoder } from './decoder.ts';
import { contentOf } from './prompt.ts';

const TEXT = 'probe';
const call = { toolCallId: TEXT, toolName: TEXT };
const file = {
  type: 'file',
  data: { type: 'data', data: 'AA==' },
  mediaType: 'image/png',
} as const;

/** Google's Gemini API. */
export const googleFormat: WireFormat = {
  probe: [
    { role: 'system', content: TEXT },
    { role: 'user', content: [{ type: 'text', text: TEXT }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', ...call, output: { type: 'content', value: [file] } }],
    },
  ],
  promptFields: ['contents', 'systemInstruction'],
  headers: [],
  path: (modelId) =>
    `/${modelId.includes('/') ? modelId : `models/${modelId}`}:streamGenerateContent?alt=sse`,

  prompts({ probe: { contents, systemInstruction } }) {
    // Gemma has no instructions.
    if (systemInstruction === undefined || !Array.isArray(contents)) return undefined;
    const isGemini3 = hasFiles(contents[1]);
    const json = new MessageJson<LanguageModelV4Message>((message) => {
      const content = contentOf(message, isGemini3);
      return content && JSON.stringify(content);
    });
    return ({ prompt }) => {
      const system: string[] = [];
      const messages: string[] = [];
      for (const message of prompt) {
        const content = json.of(message);
        const isMisplaced = message.role === 'system' && messages.length > 0;
        if (content === undefined || isMisplaced) return undefined;
        (message.role === 'system' ? system : messages).push(content);
      }
      const instruction =
        system.length === 0 ? '' : `,"systemInstruction":{"parts":[${system.join(',')}]}`;
      return { fields: `"contents":[${messages.join(',')}]${instruction}` };
    };
  },

  decoder: (_, replay, received, emit) => new GoogleDecoder(replay, received, emit),

  errorMessage(body) {
    const error = isFields(body) ? body['error'] : undefined;
    return isFields(error) && isString(error['message']) ? error['message'] : undefined;
  },
};

/** Since Gemini 3, results of functions contain files. Before, files follow as separate parts. */
function hasFiles(result: unknown): boolean {
  const parts = isFields(result) ? result['parts'] : undefined;
  const [first] = Array.isArray(parts) ? (parts as unknown[]) : [];
  return isFields(first) && 'functionResponse' in first;
}
