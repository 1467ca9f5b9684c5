/**
 * What a step costs beside the model, in a chat that is already long. Wall time of the fastest of many turns: nothing
 * waits for anything here, so that is what the work itself takes.
 */
export interface HistorySample {
  /** From the start of the turn until the model is asked. */
  firstStepMs: number;
  /** From one question to the next: taking the answer, running the tool, building the next prompt. */
  laterStepMs: number;
}

export const HISTORY_SUBJECTS = ['loop', 'streamText', 'provider package'] as const;
export const HISTORY_SIZES = [20, 500, 5_000] as const;

export type HistorySubject = (typeof HISTORY_SUBJECTS)[number];
