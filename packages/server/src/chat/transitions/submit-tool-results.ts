import type { Json } from '@chatd/protocol';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import type { Writes } from '../writes.ts';
import { answerCalls } from './answer-calls.ts';

export interface ToolResult {
  readonly tool_call_id: string;
  readonly output: Json;
  readonly is_error?: boolean | undefined;
}

/** Takes the results of all dynamic tool calls together, each exactly once. */
export function submitToolResults(
  chat: LockedChat,
  results: readonly ToolResult[],
  now: Date,
): Writes {
  const awaited = chat.open_calls.filter((call) => call.kind === 'dynamic');
  if (awaited.length === 0) {
    throw new Refused(
      'not_waiting_for_tools',
      'The chat is waiting for the user, not for tool results.',
    );
  }
  const given = new Map<string, ToolResult>();
  const expected = new Set(awaited.map((call) => call.tool_call_id));
  const extra: string[] = [];
  for (const result of results) {
    const { tool_call_id } = result;
    if (!expected.has(tool_call_id) || given.has(tool_call_id)) extra.push(tool_call_id);
    else given.set(tool_call_id, result);
  }
  const missing = awaited.filter((call) => !given.has(call.tool_call_id));
  if (missing.length > 0 || extra.length > 0) {
    throw new Refused(
      'tool_results_mismatch',
      `Missing: ${list(missing.map((call) => call.tool_call_id))}. Unknown or duplicate: ${list(extra)}.`,
    );
  }
  return answerCalls(chat, [
    {
      role: 'tool',
      content: awaited.map((call) => {
        const result = given.get(call.tool_call_id);
        return {
          type: 'tool-result' as const,
          tool_call_id: call.tool_call_id,
          tool_name: call.tool_name,
          result: result?.output ?? null,
          ...(result?.is_error === true && { is_error: true }),
          created_at: now.toISOString(),
        };
      }),
    },
  ]);
}

const list = (ids: readonly string[]) => (ids.length === 0 ? 'none' : ids.join(', '));
