import type { HistoryMessage } from '@chatd/loop';
import { isStep, isSummary } from '../../src/history/turn-progress.ts';

/**
 * The history as read by a process that takes over the chat: through JSON and, after a summary, from the last response
 * or the last user message before it, whichever is earlier.
 */
export function readBack(messages: readonly HistoryMessage[]): HistoryMessage[] {
  return JSON.parse(JSON.stringify(messages.slice(neededFrom(messages))));
}

function neededFrom(messages: readonly HistoryMessage[]): number {
  const summary = messages.findLastIndex(isSummary);
  if (summary < 0) return 0;
  const before = messages.slice(0, summary);
  const step = before.findLastIndex(isStep);
  const asked = before.findLastIndex((m) => m.role === 'user' && m.hidden !== true);
  return Math.max(0, Math.min(step, asked));
}
