import { isFields, isString } from '../fields.ts';
import { bySystem, listed, PromptJson } from '../prompt-json.ts';
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
    const list = new PromptJson(
      listed((message) => {
        // After the first other message, it is misplaced.
        const content = message.role === 'system' ? undefined : contentOf(message, isGemini3);
        return content && JSON.stringify(content);
      }),
    );
    return ({ prompt }) => {
      const { system, others } = bySystem(prompt);
      const encoded = list.of(others);
      if (encoded === undefined) return undefined;
      const parts = system.map((message) => contentOf(message, isGemini3));
      const instruction =
        parts.length === 0 ? '' : `,"systemInstruction":${JSON.stringify({ parts })}`;
      return { fields: ['"contents":[', encoded.bytes, `]${instruction}`] };
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
