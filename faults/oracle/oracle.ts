import { decisionsHold } from './decisions.ts';
import type { Check, Evidence } from './evidence.ts';
import { acknowledgedOnce, answeredOnce, usablePrompts } from './history.ts';
import { nothingFailed, nothingIsStuck, progressWasMade } from './progress.ts';
import { queueOrder } from './queue.ts';
import { shownIsStored, shownOnce } from './streams.ts';
import { agentsOnce } from './subagents.ts';
import {
  effectsAtMostOnce,
  oneResultEach,
  resultsAreTrue,
  submittedIsStored,
} from './tool-calls.ts';
import { oneCommitEach, onlyTheOwnerCommits, versionsGrow } from './versions.ts';

/** What must be true after any fault. */
export const CHECKS = {
  acknowledgedOnce,
  answeredOnce,
  usablePrompts,
  oneResultEach,
  effectsAtMostOnce,
  resultsAreTrue,
  submittedIsStored,
  decisionsHold,
  queueOrder,
  agentsOnce,
  versionsGrow,
  oneCommitEach,
  onlyTheOwnerCommits,
  shownOnce,
  shownIsStored,
  nothingIsStuck,
  nothingFailed,
  progressWasMade,
} satisfies Record<string, Check>;

/** What was found wrong; nothing means that every promise was kept. */
export async function judge(evidence: Evidence): Promise<string[]> {
  const found: string[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    const wrong = await check(evidence);
    found.push(...wrong.map((what) => `${name}: ${what}`));
  }
  return found;
}
