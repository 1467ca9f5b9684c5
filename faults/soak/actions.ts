import type { Action } from './action.ts';
import * as approvals from './actions/approvals.ts';
import * as commands from './actions/commands.ts';
import * as compaction from './actions/compaction.ts';
import * as deletion from './actions/deletion.ts';
import * as forks from './actions/forks.ts';
import * as messages from './actions/messages.ts';
import * as questions from './actions/questions.ts';
import * as queue from './actions/queue.ts';
import * as spendLimits from './actions/spend-limits.ts';
import { oneOf, type Random } from './random.ts';

/** Actions and their weights. */
const ACTIONS: readonly (readonly [weight: number, Action])[] = [
  [8, messages.sendText],
  [6, messages.callTools],
  [4, messages.queueMessage],
  [2, messages.steer],
  [2, messages.interruptWithMessage],
  [4, messages.interruptTurn],
  [2, messages.editWhileIdle],
  [2, messages.editDuringTurn],
  [4, questions.callClientTool],
  [2, messages.startSubagent],
  [2, messages.hitRateLimit],
  [2, messages.receiveResetStream],
  [2, queue.editWithFullQueue],
  [2, queue.reorderFullQueue],
  [2, queue.reorderMovingQueue],
  [2, queue.promoteDuringTurn],
  [2, queue.promoteInsteadOfAnswering],
  [2, approvals.allowCall],
  [2, approvals.denyCall],
  [3, approvals.decideLate],
  [2, approvals.decideTwice],
  [2, approvals.interruptInsteadOfDeciding],
  [3, questions.reconnectClient],
  [2, questions.answerFromTwoClients],
  [2, questions.answerQuestion],
  [2, questions.proposePlans],
  [2, compaction.compactOnRequest],
  [2, compaction.compactFullContext],
  [2, forks.forkIdleChat],
  [2, forks.forkDuringTurn],
  [2, deletion.deleteDuringTurn],
  [2, spendLimits.reachSpendLimit],
  [3, commands.runCommands],
  [3, commands.runCommandsOnMachine],
];
const WEIGHTED = ACTIONS.flatMap(([weight, action]) =>
  Array.from({ length: weight }, () => action),
);

/** The actions of a user in their first chat. Together, the users perform every action once. */
export function firstActions(user: number, users: number): Action[] {
  return ACTIONS.flatMap(([, action], index) => (index % users === user ? [action] : []));
}

export const chooseAction = (random: Random): Action => oneOf(random, WEIGHTED);
