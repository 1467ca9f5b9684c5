import { RequestRefused } from '../../clients/api.ts';
import type { Acknowledged, Conversation } from '../../clients/conversation.ts';
import { callId, effectKey, GUARDED_TOOL, type PlannedStep } from '../../deployment/plan.ts';
import { type Action, answered, callPending } from '../action.ts';
import { requestingReplicaStopped } from '../requesting-replica.ts';
import type { Counts } from '../counts.ts';
import { oneOf } from '../random.ts';

type Decision = 'allow' | 'deny';

const GUARDED: readonly PlannedStep[] = [
  { chunks: 2, call: { tool: GUARDED_TOOL, ms: 100 } },
  { chunks: 4, paceMs: 20 },
];

const KINDS = { allow: 'calls allowed', deny: 'calls denied' } as const;

const decideOnce =
  (decision: Decision): Action =>
  async (chat, { counts }) => {
    const message = await chat.send(GUARDED);
    await callPending(chat, message);
    await decide(chat, message, decision, counts);
    await answered(chat, counts);
  };

export const allowCall = decideOnce('allow');
export const denyCall = decideOnce('deny');

/** The requesting replica has stopped, so only the database has the request. */
export const decideLate: Action = async (chat, context) => {
  const { counts, random } = context;
  const message = await chat.send(GUARDED);
  await callPending(chat, message);
  const hasStopped = await requestingReplicaStopped(chat.chatId, context);
  await decide(chat, message, oneOf(random, ['allow', 'deny']), counts);
  await answered(chat, counts);
  if (hasStopped) counts.add('decisions after the requesting replica stopped');
};

/** Two clients decide concurrently; exactly one decision is accepted. */
export const decideTwice: Action = async (chat, { counts }) => {
  const message = await chat.send(GUARDED);
  await callPending(chat, message);
  const both = await Promise.all(
    (['allow', 'deny'] as const).map((decision) => decide(chat, message, decision, counts)),
  );
  if (both.filter(Boolean).length !== 1) {
    throw new Error(`chat ${chat.chatId}: of two concurrent decisions, accepted: ${both.join()}`);
  }
  await answered(chat, counts);
  counts.add('concurrent decisions of two clients');
};

/** The interrupt cancels the call, and the agent continues. */
export const interruptInsteadOfDeciding: Action = async (chat, { counts }) => {
  const message = await chat.send(GUARDED);
  await callPending(chat, message);
  message.forbidden = [effectKey(message.id, 0)];
  await chat.interrupt();
  await answered(chat, counts);
  counts.add('interrupts instead of decisions');
};

/** False if another decision was accepted first. */
async function decide(
  chat: Conversation,
  message: Acknowledged,
  decision: Decision,
  counts: Counts,
): Promise<boolean> {
  const at = Date.now();
  const tool_call_id = callId(message.id, 0);
  try {
    await chat.api.post(`/chats/${chat.chatId}/approvals`, {
      decisions: [{ tool_call_id, decision }],
    });
  } catch (error) {
    if (error instanceof RequestRefused && error.status === 409) return false;
    throw error;
  }
  message.decisions = [{ tool_call_id, key: effectKey(message.id, 0), decision, at }];
  counts.add(KINDS[decision]);
  return true;
}
