import type { Part, ToolCallPart, ToolResultPart } from '@chatd/protocol';
import { activityLine, type ListedSource, providerActivity } from '@chatd/protocol/presentation';
import { oneLine } from '../output/terminal-text.ts';

type Call = Pick<ToolCallPart, 'tool_name' | 'args'>;

/** A provider-executed tool call on one line, such as `Searched the web for “weather” · 10 results`. */
export function providerLine(call: Call, result?: ToolResultPart): string {
  const state = result === undefined ? 'running' : result.is_error === true ? 'failed' : 'done';
  return oneLine(activityLine(providerActivity(call, result), state));
}

/** The call of a result. */
export const callOf = (parts: readonly Part[], result: ToolResultPart): Call =>
  parts.find(
    (part): part is ToolCallPart =>
      part.type === 'tool-call' && part.tool_call_id === result.tool_call_id,
  ) ?? result;

export const markOf = (number: number): string => `[${number}]`;

/** A source on one line, with its citation mark. */
export function sourceLine({ number, title, url }: ListedSource): string {
  const name = title === undefined ? url : `${title} ${url}`;
  return oneLine(number === undefined ? name : `${markOf(number)} ${name}`);
}
