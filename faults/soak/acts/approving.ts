import { RequestRefused } from '../../clients/api.ts';
import type { Acknowledged, Conversation } from '../../clients/conversation.ts';
import { callId, effectKey, type PlannedStep } from '../../deployment/plan.ts';
import { GUARDED_TOOL } from '../../deployment/tools.ts';
import { type Act, answered, asked } from '../act.ts';
import { askerIsGone } from '../asker.ts';
import type { Counts } from '../counts.ts';
import { oneOf } from '../random.ts';

type Decision = 'allow' | 'deny';

const GUARDED: readonly PlannedStep[] = [
  { say: 2, call: { tool: GUARDED_TOOL, ms: 100 } },
  { say: 4, pace: 20 },
];

const KINDS = { allow: 'calls allowed', deny: 'calls denied' } as const;

const decides =
  (decision: Decision): Act =>
  async (talk, { counts }) => {
    const message = await talk.say(GUARDED);
    await asked(talk, message);
    await decide(talk, message, decision, counts);
    await answered(talk, counts);
  };

export const allows = decides('allow');
export const denies = decides('deny');

/** Whoever has asked is no more: what it was told is in the database alone. */
export const decidesLate: Act = async (talk, surroundings) => {
  const { counts, random } = surroundings;
  const message = await talk.say(GUARDED);
  await asked(talk, message);
  const isGone = await askerIsGone(talk.chatId, surroundings);
  await decide(talk, message, oneOf(random, ['allow', 'deny']), counts);
  await answered(talk, counts);
  if (isGone) counts.add('decisions after the replica that asked was gone');
};

/** Two clients of the same person at once: the first counts, and the other is told. */
export const decidesTwice: Act = async (talk, { counts }) => {
  const message = await talk.say(GUARDED);
  await asked(talk, message);
  const both = await Promise.all(
    (['allow', 'deny'] as const).map((decision) => decide(talk, message, decision, counts)),
  );
  if (both.filter(Boolean).length !== 1) {
    throw new Error(`chat ${talk.chatId}: of two decisions at once ${both.join()} counted`);
  }
  await answered(talk, counts);
  counts.add('decisions of two clients at once');
};

/** Instead of deciding: the call is cancelled, and the agent goes on without it. */
export const interruptsInsteadOfDeciding: Act = async (talk, { counts }) => {
  const message = await talk.say(GUARDED);
  await asked(talk, message);
  message.forbidden = [effectKey(message.id, 0)];
  await talk.interrupt();
  await answered(talk, counts);
  counts.add('interrupts instead of a decision');
};

/** False when another decision was faster. */
async function decide(
  talk: Conversation,
  message: Acknowledged,
  decision: Decision,
  counts: Counts,
): Promise<boolean> {
  const at = Date.now();
  const tool_call_id = callId(message.id, 0);
  try {
    await talk.api.post(`/chats/${talk.chatId}/approvals`, {
      decisions: [{ tool_call_id, decision }],
    });
  } catch (error) {
    if (error instanceof RequestRefused && error.status === 409) return false;
    throw error;
  }
  message.decided = [{ tool_call_id, key: effectKey(message.id, 0), decision, at }];
  counts.add(KINDS[decision]);
  return true;
}
