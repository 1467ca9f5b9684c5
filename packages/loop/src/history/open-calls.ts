import {
  type CompactionSource,
  type HistoryCall,
  type HistoryMessage,
  SUMMARY_TOOL,
} from './message.ts';
import { isStep } from './turn-progress.ts';

interface OpenStep {
  /** Index of the response in the history. */
  index: number;
  message: HistoryMessage;
  /** Calls without a result that the loop must answer, in the model's order. */
  calls: HistoryCall[];
}

interface HistoryCompaction {
  call: HistoryCall;
  source: CompactionSource;
}

export const isLocalCall = (part: HistoryMessage['content'][number]): part is HistoryCall =>
  part.type === 'tool-call' && part.provider_executed !== true && part.tool_name !== SUMMARY_TOOL;

export function answeredIds(messages: readonly HistoryMessage[], from: number): Set<string> {
  const ids = new Set<string>();
  for (let index = from; index < messages.length; index++) {
    for (const part of messages[index]?.content ?? []) {
      if (part.type === 'tool-result') ids.add(part.tool_call_id);
    }
  }
  return ids;
}

export function lastStepIndex(messages: readonly HistoryMessage[]): number {
  return messages.findLastIndex(isStep);
}

/** The last response with its open calls. Only the last response can have any. */
export function openStep(messages: readonly HistoryMessage[]): OpenStep | undefined {
  const index = lastStepIndex(messages);
  const message = messages[index];
  if (message === undefined) return undefined;
  const answered = answeredIds(messages, index + 1);
  const calls = message.content.filter(isLocalCall).filter((c) => !answered.has(c.tool_call_id));
  return calls.length === 0 ? undefined : { index, message, calls };
}

/** A `chat_summarized` call without a result: a summary was started and not finished. */
export function openCompaction(messages: readonly HistoryMessage[]): HistoryCompaction | undefined {
  const after = messages.slice(lastStepIndex(messages) + 1);
  const asked = after.findLastIndex((m) => m.role === 'assistant' && m.meta?.compaction);
  const compaction = after[asked]?.meta?.compaction;
  if (compaction === undefined) return undefined;
  const call = after[asked]?.content.find((part) => part.type === 'tool-call');
  if (call === undefined || answeredIds(after, asked + 1).has(call.tool_call_id)) return undefined;
  return { call, source: compaction.source };
}

/** Open calls that their owner was about to start, so they may have run. */
export function begunCalls(messages: readonly HistoryMessage[]): string[] {
  const step = openStep(messages);
  const starts = new Set(step?.message.meta?.starts);
  return step?.calls.map((c) => c.tool_call_id).filter((id) => starts.has(id)) ?? [];
}
