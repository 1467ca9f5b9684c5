import type { Act } from './act.ts';
import {
  allows,
  decidesLate,
  decidesTwice,
  denies,
  interruptsInsteadOfDeciding,
} from './acts/approving.ts';
import {
  answersAQuestion,
  asksItsClient,
  clientComesBack,
  plans,
  twoClientsAnswer,
} from './acts/asking.ts';
import { commands } from './acts/commanding.ts';
import { compacts, isCompacted } from './acts/compacting.ts';
import { forks, forksWhileItRuns } from './acts/forking.ts';
import { deletesInMidTurn } from './acts/putting-away.ts';
import {
  editsBeforeAFullQueue,
  promotesInsteadOfAnswering,
  promotesWhileItRuns,
  tidiesAFullQueue,
  tidiesAMovingQueue,
} from './acts/queueing.ts';
import { spends } from './acts/spending.ts';
import {
  editsAtRest,
  editsWhileItRuns,
  interrupts,
  interruptsBySaying,
  isCutOff,
  meetsALimit,
  queues,
  startsAnAgent,
  steers,
  talks,
  works,
} from './acts/talking.ts';
import { oneOf, type Random } from './random.ts';

/** Each so often. */
const ACTS: readonly (readonly [times: number, Act])[] = [
  [8, talks],
  [6, works],
  [4, queues],
  [2, steers],
  [2, interruptsBySaying],
  [4, interrupts],
  [2, editsAtRest],
  [2, editsWhileItRuns],
  [4, asksItsClient],
  [2, startsAnAgent],
  [2, meetsALimit],
  [2, isCutOff],
  [2, editsBeforeAFullQueue],
  [2, tidiesAFullQueue],
  [2, tidiesAMovingQueue],
  [2, promotesWhileItRuns],
  [2, promotesInsteadOfAnswering],
  [2, allows],
  [2, denies],
  [3, decidesLate],
  [2, decidesTwice],
  [2, interruptsInsteadOfDeciding],
  [3, clientComesBack],
  [2, twoClientsAnswer],
  [2, answersAQuestion],
  [2, plans],
  [2, compacts],
  [2, isCompacted],
  [2, forks],
  [2, forksWhileItRuns],
  [2, deletesInMidTurn],
  [2, spends],
  [3, commands],
];
const DRAWN = ACTS.flatMap(([times, act]) => Array.from({ length: times }, () => act));

/** So that everything happens soon: in their first chat, people share all that there is to do. */
export function firstActs(person: number, people: number): Act[] {
  return ACTS.flatMap(([, act], index) => (index % people === person ? [act] : []));
}

export const chooseAct = (random: Random): Act => oneOf(random, DRAWN);
