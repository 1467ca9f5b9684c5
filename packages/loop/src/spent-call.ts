import type { HistoryMessage } from './history/message.ts';

/**
 * A billed model call without a message: an attempt that failed at its end, or a summary that is requested again. Its
 * duration is part of its step.
 */
export interface SpentCall extends Pick<HistoryMessage, 'cost_micros'> {
  usage: NonNullable<HistoryMessage['usage']>;
  purpose: 'turn' | 'summary';
}

export type Spent = (call: SpentCall) => void;

/** Reports a call if its usage is known. */
export function tellSpent(
  spent: Spent,
  purpose: SpentCall['purpose'],
  { usage, cost_micros }: Pick<HistoryMessage, 'usage' | 'cost_micros'>,
): void {
  if (usage?.total_tokens === undefined) return;
  spent({ purpose, usage, ...(cost_micros !== undefined && { cost_micros }) });
}
