import type { HistoryMessage } from './message.ts';

interface TurnProgress {
  /** Model responses of this turn. */
  steps: number;
  /** How often the turn continued after a summary although the model had finished. */
  reentries: number;
}

export const isStep = (message: HistoryMessage): boolean =>
  message.role === 'assistant' && message.meta?.finish_reason !== undefined;

export const isSummary = (message: HistoryMessage): boolean => message.meta?.summary !== undefined;

/** Anthropic pauses a long turn of server tools. Sending the response back continues it. */
export const isPaused = (message: HistoryMessage): boolean =>
  message.meta?.finish_raw === 'pause_turn';

const beginsTurn = (message: HistoryMessage): boolean =>
  message.role === 'user' && message.hidden !== true && message.meta?.steered !== true;

/**
 * Counts back to the message that started the turn. A summary carries the count of the messages before it, so that an
 * owner without those messages gets the same result.
 */
export function turnProgress(messages: readonly HistoryMessage[]): TurnProgress {
  let steps = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined || beginsTurn(message)) break;
    const summary = message.meta?.summary;
    if (summary !== undefined) {
      return {
        steps: steps + summary.steps,
        reentries: summary.reentries + (summary.after_finish ? 1 : 0),
      };
    }
    if (isStep(message)) steps++;
  }
  return { steps, reentries: 0 };
}
