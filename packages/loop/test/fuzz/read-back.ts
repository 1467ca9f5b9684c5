import type { HistoryMessage } from '@chatd/loop';
import { isStep, isSummary } from '../../src/history/turn-progress.ts';

/**
 * The history as a process reads it that takes the chat over: through JSON and, once there is a summary, from the last
 * response or the last message of the user before it, whichever is earlier.
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
