import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import { TITLE_INSTRUCTIONS } from '../title-instructions.ts';

export interface ToolOutcome {
  name: string;
  text: string;
  isError: boolean;
}

/** A call, as far as the demo model understands it. */
export interface DemoRequest {
  kind: 'turn' | 'summary' | 'title';
  said: string;
  results: readonly ToolOutcome[];
  rounds: number;
  tools: readonly LanguageModelV4FunctionTool[];
  prompt: readonly LanguageModelV4Message[];
}

const SUMMARY_REQUEST = /^The conversation has grown too long and is about to be replaced/;
const SUMMARY = /^The conversation so far was too long and has been replaced by this summary/;

/** Whether the history was compacted and no user message followed. */
export const isSummary = (text: string): boolean => SUMMARY.test(text);

export function readRequest({ prompt, tools = [] }: LanguageModelV4CallOptions): DemoRequest {
  const asked = prompt.findLastIndex((message) => message.role === 'user');
  const said = asked === -1 ? '' : textOf(prompt[asked]);
  const since = prompt.slice(asked + 1);
  return {
    kind: kindOf(prompt, said),
    said,
    results: since.flatMap(resultsOf),
    rounds: since.filter((message) => message.role === 'assistant').length,
    tools: tools.filter((tool) => tool.type === 'function'),
    prompt,
  };
}

function kindOf(prompt: readonly LanguageModelV4Message[], said: string): DemoRequest['kind'] {
  const [first] = prompt;
  if (first?.role === 'system' && first.content === TITLE_INSTRUCTIONS) return 'title';
  return SUMMARY_REQUEST.test(said) ? 'summary' : 'turn';
}

export function textOf(message: LanguageModelV4Message | undefined): string {
  if (message === undefined) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}

export function resultsOf(message: LanguageModelV4Message): ToolOutcome[] {
  if (message.role !== 'tool') return [];
  return message.content
    .filter((part) => part.type === 'tool-result')
    .map(({ toolName, output }) => ({
      name: toolName,
      text: outputText(output),
      isError: output.type === 'error-text' || output.type === 'error-json',
    }));
}

function outputText(output: LanguageModelV4ToolResultPart['output']): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value, null, 2);
    case 'execution-denied':
      return output.reason ?? 'The call was not allowed.';
    case 'content':
      return output.value
        .map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
        .join('\n');
  }
}
