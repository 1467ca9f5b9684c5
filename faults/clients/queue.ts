import type { PlannedStep } from '../deployment/plan.ts';
import { planText } from '../deployment/plan.ts';
import { RequestRefused } from './api.ts';
import { type Acknowledged, type Conversation, newPlan } from './conversation.ts';

/*
 * What a person does with a message that waits. Each says whether it was done: the message may have come to its turn
 * meanwhile. Of a change that went unanswered and was repeated nobody knows when it took effect.
 */

const pathOf = ({ chatId }: Conversation, { queuedId }: Acknowledged): string =>
  `/chats/${chatId}/queue/${queuedId}`;

const isGone = (error: unknown): error is RequestRefused =>
  error instanceof RequestRefused && error.status === 404;

/** It is the next, and what runs is interrupted for it. */
export async function promote(talk: Conversation, message: Acknowledged): Promise<boolean> {
  try {
    await talk.api.post(`${pathOf(talk, message)}/promote`, undefined);
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
  message.promotedAt = Date.now();
  return true;
}

/** It is the next once what runs has ended. */
export async function moveToFront(talk: Conversation, message: Acknowledged): Promise<boolean> {
  try {
    const { repeated } = await talk.api.patch(pathOf(talk, message), { position: 0 });
    talk.isDoubtful ||= repeated;
    return true;
  } catch (error) {
    if (!isGone(error)) throw error;
    talk.isDoubtful ||= error.repeated;
    return false;
  }
}

/** Says something else in its place, which is returned. */
export async function reword(
  talk: Conversation,
  message: Acknowledged,
  steps: readonly PlannedStep[],
): Promise<Acknowledged | undefined> {
  const plan = newPlan(steps);
  try {
    await talk.api.patch(pathOf(talk, message), { content: planText(plan) });
  } catch (error) {
    if (!isGone(error)) throw error;
    if (error.repeated) {
      message.fate = 'untold';
      talk.acknowledge(plan).fate = 'untold';
    }
    return undefined;
  }
  message.fate = 'gone';
  const { queuedId } = message;
  return talk.acknowledge(plan, { queued: true, ...(queuedId !== undefined && { queuedId }) });
}

export async function takeBack(talk: Conversation, message: Acknowledged): Promise<boolean> {
  try {
    const { repeated } = await talk.api.remove(pathOf(talk, message));
    message.fate = repeated ? 'untold' : 'gone';
    return true;
  } catch (error) {
    if (!isGone(error)) throw error;
    if (error.repeated) message.fate = 'untold';
    return false;
  }
}
