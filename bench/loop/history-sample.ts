/**
 * The cost of a step in a long chat, without the model. Wall time of the fastest of many turns: nothing waits for I/O,
 * so the minimum is the work itself.
 */
export interface HistorySample {
  /** From the start of the turn to the first model call. */
  firstStepMs: number;
  /** From one model call to the next: processing the response, running the tool, building the prompt. */
  laterStepMs: number;
}

export const HISTORY_SUBJECTS = ['loop', 'streamText', 'provider package'] as const;
export const HISTORY_SIZES = [20, 500, 5_000] as const;

export type HistorySubject = (typeof HISTORY_SUBJECTS)[number];
