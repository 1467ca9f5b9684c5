import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { legalCallId } from '../history/call-ids.ts';
import {
  type HistoryCall,
  type HistoryMessage,
  type HistoryResult,
  SUMMARY_TOOL,
} from '../history/message.ts';
import { takesMedia } from '../providers/media-types.ts';
import type { MediaFile } from '../tools/media.ts';
import { cutText } from '../tools/result-budget.ts';
import { type Conversion, isForeign } from './conversion.ts';
import { convertReasoning } from './reasoning.ts';
import { resultOutput } from './result-output.ts';

type Content = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

export function convertAssistant(
  message: HistoryMessage,
  to: Conversion,
  files: ReadonlyMap<string, MediaFile>,
): Content {
  const foreign = isForeign(message, to);
  const content: Content = [];
  const options = (part: { provider_metadata?: HistoryCall['provider_metadata'] }) =>
    !foreign && part.provider_metadata ? { providerOptions: part.provider_metadata } : {};
  for (const part of message.content) {
    switch (part.type) {
      case 'text':
        if (part.custom_kind !== undefined) {
          if (!foreign) content.push({ type: 'custom', kind: part.custom_kind, ...options(part) });
        } else if (part.text.trim() !== '') {
          content.push({ type: 'text', text: part.text, ...options(part) });
        }
        break;
      case 'reasoning': {
        const reasoning = convertReasoning(part, message, to);
        if (reasoning !== undefined) content.push(reasoning);
        break;
      }
      case 'tool-call':
        if (part.tool_name === SUMMARY_TOOL) break;
        if (part.provider_executed === true) {
          content.push(...providerExecuted(part, message, to, foreign));
        } else {
          content.push({
            type: 'tool-call',
            toolCallId: legalCallId(part.tool_call_id),
            toolName: to.names.toProvider(part.tool_name),
            input: part.args,
            ...options(part),
          });
        }
        break;
      case 'file': {
        const file = files.get(part.file_id);
        if (file === undefined || (part.of_reasoning === true && foreign)) break;
        if (!takesFiles(to, foreign) || !takesMedia(to.family, part.media_type)) {
          if (part.of_reasoning !== true)
            content.push({ type: 'text', text: made(part.media_type) });
          break;
        }
        content.push({
          type: part.of_reasoning === true ? 'reasoning-file' : 'file',
          data: { type: 'data', data: file.data },
          mediaType: part.media_type,
          ...options(part),
        });
        break;
      }
      // Results stand behind their calls; sources and references are not the model's words.
      case 'tool-result':
      case 'source':
      case 'file-reference':
        break;
    }
  }
  return content;
}

/** Among a model's own words there is a place for files with Google alone, and with who made them, if we know no better. */
const takesFiles = ({ family }: Conversion, foreign: boolean): boolean =>
  family === 'google' || (family === 'other' && !foreign);

const made = (mediaType: string): string => `[a file was made here: ${mediaType}]`;

const FOREIGN_RESULT_BYTES = 4 * 1024;

/** The call and, right after it, its result; nothing while it has none. */
function providerExecuted(
  call: HistoryCall,
  message: HistoryMessage,
  to: Conversion,
  foreign: boolean,
): Content {
  const result = message.content.find(
    (part): part is HistoryResult =>
      part.type === 'tool-result' && part.tool_call_id === call.tool_call_id,
  );
  if (result === undefined || result.interrupted === true) return [];
  if (foreign) {
    const output = cutText(JSON.stringify(result.result ?? null), FOREIGN_RESULT_BYTES);
    const text = `[${call.tool_name} was called with ${JSON.stringify(call.args)} and returned: ${output}]`;
    return [{ type: 'text', text }];
  }
  const toolName = to.names.toProvider(call.tool_name);
  const toolCallId = call.tool_call_id;
  return [
    {
      type: 'tool-call',
      toolCallId,
      toolName,
      input: call.args,
      providerExecuted: true,
      ...(call.provider_metadata && { providerOptions: call.provider_metadata }),
    },
    {
      type: 'tool-result',
      toolCallId,
      toolName,
      output: resultJson(result),
      ...(result.provider_metadata && { providerOptions: result.provider_metadata }),
    },
  ];
}

/** Providers take their own results back as JSON, never as text. */
const resultJson = (result: HistoryResult) => {
  const output = resultOutput(result, []);
  if (output.type === 'text') return { type: 'json' as const, value: output.value };
  if (output.type === 'error-text') return { type: 'error-json' as const, value: output.value };
  return output;
};
