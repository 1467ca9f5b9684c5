import type { HistoryMessage } from './history/message.ts';

/**
 * A model call that its provider counted and that leaves no message to say so: an attempt that broke off at its very
 * end, a summary that is asked for again. Its time is part of the step that it was made for.
 */
export interface SpentCall extends Pick<HistoryMessage, 'cost_micros'> {
  usage: NonNullable<HistoryMessage['usage']>;
  purpose: 'turn' | 'summary';
}

export type Spent = (call: SpentCall) => void;

/** Tells of a call if anything is known of what it used. */
export function tellSpent(
  spent: Spent,
  purpose: SpentCall['purpose'],
  { usage, cost_micros }: Pick<HistoryMessage, 'usage' | 'cost_micros'>,
): void {
  if (usage?.total_tokens === undefined) return;
  spent({ purpose, usage, ...(cost_micros !== undefined && { cost_micros }) });
}
