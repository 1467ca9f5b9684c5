import { decisionsRespected } from './decisions.ts';
import type { Check, Evidence } from './evidence.ts';
import {
  acknowledgedOnce,
  acknowledgedStored,
  answeredOnce,
  removedAbsent,
  stepsAnswered,
  validPrompts,
} from './history.ts';
import { type Problem, type Rule, violation } from './problem.ts';
import { noFailedChats, noStuckChats, enoughTurns } from './progress.ts';
import { queueOrder } from './queue.ts';
import { eventsOnce, eventsReceived, eventsValid, viewsMatchDatabase } from './streams.ts';
import { subagentsFinish, subagentsRunOnce } from './subagents.ts';
import {
  callsHaveResults,
  effectsAtMostOnce,
  oneResultPerCall,
  resultsHaveEffects,
  submittedResultsStored,
} from './tool-calls.ts';
import { oneCommitPerAttempt, onlyOwnerCommits, versionsIncreaseByOne } from './versions.ts';

/** Guarantees that hold after any fault. */
export const CHECKS = {
  acknowledgedStored,
  acknowledgedOnce,
  removedAbsent,
  stepsAnswered,
  answeredOnce,
  validPrompts,
  callsHaveResults,
  oneResultPerCall,
  effectsAtMostOnce,
  resultsHaveEffects,
  submittedResultsStored,
  decisionsRespected,
  queueOrder,
  subagentsFinish,
  subagentsRunOnce,
  versionsIncreaseByOne,
  oneCommitPerAttempt,
  onlyOwnerCommits,
  eventsReceived,
  eventsOnce,
  eventsValid,
  viewsMatchDatabase,
  noStuckChats,
  noFailedChats,
  enoughTurns,
} satisfies Partial<Record<Rule, Check>>;

/** Resolves to the problems found; empty if all checks pass. */
export async function runChecks(evidence: Evidence): Promise<Problem[]> {
  const found: Problem[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    const wrong = await check(evidence);
    found.push(...wrong.map((what) => violation(name as keyof typeof CHECKS, what)));
  }
  return found;
}
