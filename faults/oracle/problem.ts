/**
 * What a problem means to a user: something acknowledged is missing, something happened twice, a chat does not become
 * idle, or anything else that must not happen.
 */
export type ProblemKind = 'lost' | 'doubled' | 'stuck' | 'wrong';

/** The kind of every rule of the oracle. */
export const KINDS = {
  acknowledgedStored: 'lost',
  acknowledgedOnce: 'doubled',
  removedAbsent: 'wrong',
  stepsAnswered: 'lost',
  answeredOnce: 'doubled',
  validPrompts: 'wrong',
  callsHaveResults: 'lost',
  oneResultPerCall: 'doubled',
  effectsAtMostOnce: 'doubled',
  resultsHaveEffects: 'lost',
  submittedResultsStored: 'lost',
  decisionsRespected: 'wrong',
  queueOrder: 'wrong',
  subagentsFinish: 'lost',
  subagentsRunOnce: 'doubled',
  versionsIncreaseByOne: 'wrong',
  oneCommitPerAttempt: 'doubled',
  onlyOwnerCommits: 'wrong',
  eventsReceived: 'lost',
  eventsOnce: 'doubled',
  eventsValid: 'wrong',
  viewsMatchDatabase: 'lost',
  noStuckChats: 'stuck',
  noFailedChats: 'wrong',
  enoughTurns: 'wrong',
  // Triggers.
  dueTimesRun: 'lost',
  dueTimesRunOnce: 'doubled',
  deliveriesRun: 'lost',
  deliveriesRunOnce: 'doubled',
  runsEnd: 'stuck',
  noChatWithoutRun: 'doubled',
  queuedRunsWait: 'wrong',
  // Webhooks.
  delivered: 'lost',
  deliveriesEnd: 'stuck',
  deliveriesStored: 'wrong',
  deliveredInOrder: 'wrong',
  // Machines.
  commandsFinish: 'lost',
  commandsRunOnce: 'doubled',
  resultsExplained: 'wrong',
  releasedByEpoch: 'wrong',
} as const satisfies Record<string, ProblemKind>;

export type Rule = keyof typeof KINDS;

/** A failed check. */
export interface Problem {
  readonly kind: ProblemKind;
  /** Undefined: a check of the fault itself. */
  readonly rule?: Rule;
  readonly what: string;
}

export const violation = (rule: Rule, what: string): Problem => ({ kind: KINDS[rule], rule, what });

export const formatProblem = ({ rule, what }: Problem): string =>
  rule === undefined ? what : `${rule}: ${what}`;
