import type { HistoryMessage } from '../history/message.ts';
import { answeredIds, isLocalCall } from '../history/open-calls.ts';
import { isStep, isSummary } from '../history/turn-progress.ts';

/**
 * The messages that the model sees: those since the last summary, if any. Whether a summary covers a message depends
 * only on its position.
 */
export function promptView(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const at = messages.findLastIndex(isSummary);
  const summary = messages[at];
  if (summary === undefined) return messages;
  const before = messages.slice(0, at);
  return [
    ...before.filter((message) => message.role === 'system'),
    summary,
    ...carriedOver(before),
    ...messages.slice(at + 1),
  ];
}

const isCompaction = (message: HistoryMessage) => message.meta?.compaction !== undefined;

/**
 * Messages before a summary that are still needed: a response with calls that were open, because their results follow,
 * and user messages without a response.
 */
function carriedOver(before: readonly HistoryMessage[]): HistoryMessage[] {
  const step = before.findLastIndex(isStep);
  const since = before.slice(step + 1).filter((m) => !isCompaction(m) && !isSummary(m));
  const response = before[step];
  const answered = answeredIds(since, 0);
  const open = response?.content.some((p) => isLocalCall(p) && !answered.has(p.tool_call_id));
  if (response !== undefined && open === true) return [response, ...since];
  return since.filter((message) => message.role === 'user');
}
