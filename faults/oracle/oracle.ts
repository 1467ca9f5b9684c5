import { decisionsRespected } from './decisions.ts';
import type { Check, Evidence } from './evidence.ts';
import { acknowledgedOnce, answeredOnce, validPrompts } from './history.ts';
import { noFailedChats, noStuckChats, enoughTurns } from './progress.ts';
import { queueOrder } from './queue.ts';
import { viewsMatchDatabase, eventsInOrder } from './streams.ts';
import { subagentsRunOnce } from './subagents.ts';
import {
  effectsAtMostOnce,
  oneResultPerCall,
  resultsHaveEffects,
  submittedResultsStored,
} from './tool-calls.ts';
import { oneCommitPerAttempt, onlyOwnerCommits, versionsIncreaseByOne } from './versions.ts';

/** Guarantees that hold after any fault. */
export const CHECKS = {
  acknowledgedOnce,
  answeredOnce,
  validPrompts,
  oneResultPerCall,
  effectsAtMostOnce,
  resultsHaveEffects,
  submittedResultsStored,
  decisionsRespected,
  queueOrder,
  subagentsRunOnce,
  versionsIncreaseByOne,
  oneCommitPerAttempt,
  onlyOwnerCommits,
  eventsInOrder,
  viewsMatchDatabase,
  noStuckChats,
  noFailedChats,
  enoughTurns,
} satisfies Record<string, Check>;

/** Resolves to the problems found; empty if all checks pass. */
export async function runChecks(evidence: Evidence): Promise<string[]> {
  const found: string[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    const wrong = await check(evidence);
    found.push(...wrong.map((what) => `${name}: ${what}`));
  }
  return found;
}
