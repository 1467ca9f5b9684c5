import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Json } from '@chatd/protocol';
import { legalCallId } from '../history/call-ids.ts';
import {
  type HistoryCall,
  type HistoryMessage,
  type HistoryResult,
  SUMMARY_TOOL,
} from '../history/message.ts';
import { isPaused } from '../history/turn-progress.ts';
import { publicResult } from '../public-result.ts';
import { cutText } from '../tools/result-budget.ts';
import { type Conversion, isForeign } from './conversion.ts';
import type { MessageFiles } from './prompt-files.ts';
import { convertReasoning } from './reasoning.ts';
import { resultOutput } from './result-output.ts';

type Content = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

export function convertAssistant(
  message: HistoryMessage,
  to: Conversion,
  files: MessageFiles,
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
          content.push(...providerExecuted(part, message, foreign));
        } else {
          content.push({
            type: 'tool-call',
            toolCallId: legalCallId(part.tool_call_id),
            toolName: to.names.toProvider(part.tool_name),
            input: objectArgs(part.args),
            ...options(part),
          });
        }
        break;
      case 'file': {
        const shown = files.get(part.file_id);
        const ofReasoning = part.of_reasoning === true;
        if (shown === undefined || (ofReasoning && foreign)) break;
        if (!('data' in shown)) {
          const text = 'note' in shown ? shown.note : shown.text;
          if (!ofReasoning) content.push({ type: 'text', text });
          break;
        }
        content.push({
          type: ofReasoning ? 'reasoning-file' : 'file',
          data: { type: 'data', data: shown.data },
          mediaType: shown.media_type,
          ...options(part),
        });
        break;
      }
      case 'tool-result':
        content.push(...lateResult(part, message, foreign));
        break;
      // Sources and references are not text of the model.
      case 'source':
      case 'file-reference':
        break;
    }
  }
  return withoutTrailingReasoning(content);
}

/** Anthropic, Google and Bedrock accept only objects as arguments. */
const objectArgs = (args: Json): Json =>
  typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { value: args };

/**
 * Reasoning is sent back only with the output that followed it. Providers may reject a response that ended during
 * reasoning.
 */
export function withoutTrailingReasoning(content: Content): Content {
  const last = content.findLastIndex(
    ({ type }) => type !== 'reasoning' && type !== 'reasoning-file',
  );
  return last === content.length - 1 ? content : content.slice(0, last + 1);
}

const FOREIGN_RESULT_BYTES = 4 * 1024;

/**
 * The call, followed by its result. A call without a result is sent only in a paused response; `arrange` keeps it where
 * the provider continues it.
 */
function providerExecuted(call: HistoryCall, message: HistoryMessage, foreign: boolean): Content {
  const result = message.content.find(
    (part): part is HistoryResult =>
      part.type === 'tool-result' && part.tool_call_id === call.tool_call_id,
  );
  if (result?.interrupted === true) return [];
  if (foreign) return result === undefined ? [] : [{ type: 'text', text: told(result, call) }];
  if (result === undefined && !isPaused(message)) return [];
  const callPart: Content[number] = {
    type: 'tool-call',
    toolCallId: call.tool_call_id,
    toolName: call.tool_name,
    input: call.args,
    providerExecuted: true,
    ...(call.provider_metadata && { providerOptions: call.provider_metadata }),
  };
  return result === undefined ? [callPart] : [callPart, resultPart(result)];
}

/** The result of a call in an earlier, paused response. */
function lateResult(result: HistoryResult, message: HistoryMessage, foreign: boolean): Content {
  const isLate = !message.content.some(
    (part) => part.type === 'tool-call' && part.tool_call_id === result.tool_call_id,
  );
  if (!isLate || result.interrupted === true) return [];
  return [foreign ? { type: 'text', text: told(result) } : resultPart(result)];
}

const resultPart = (result: HistoryResult): Content[number] => ({
  type: 'tool-result',
  toolCallId: result.tool_call_id,
  toolName: result.tool_name,
  output: resultJson(result),
  ...(result.provider_metadata && { providerOptions: result.provider_metadata }),
});

function told(result: HistoryResult, call?: HistoryCall): string {
  const output = cutText(JSON.stringify(publicResult(result.result ?? null)), FOREIGN_RESULT_BYTES);
  return call === undefined
    ? `[${result.tool_name} returned: ${output}]`
    : `[${call.tool_name} was called with ${JSON.stringify(call.args)} and returned: ${output}]`;
}

/** Providers accept their own results only as JSON. */
const resultJson = (result: HistoryResult) => {
  const output = resultOutput(result, []);
  if (output.type === 'text') return { type: 'json' as const, value: output.value };
  if (output.type === 'error-text') return { type: 'error-json' as const, value: output.value };
  return output;
};
