import type { PlannedStep } from '../deployment/plan.ts';
import { formatPlan } from '../deployment/plan.ts';
import { RequestRefused } from './api.ts';
import { type Acknowledged, type Conversation, newPlan } from './conversation.ts';

/*
 * Changes of queued messages. They return false or undefined if the message is no longer queued. After a retry, it is
 * unknown when a change took effect.
 */

const pathOf = ({ chatId }: Conversation, { queuedId }: Acknowledged): string =>
  `/chats/${chatId}/queue/${queuedId}`;

const isNotFound = (error: unknown): error is RequestRefused =>
  error instanceof RequestRefused && error.status === 404;

/** Makes the message next and interrupts the running turn. */
export async function promote(chat: Conversation, message: Acknowledged): Promise<boolean> {
  try {
    await chat.api.post(`${pathOf(chat, message)}/promote`, undefined);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
  message.promotedAt = Date.now();
  return true;
}

/** Makes the message next after the running turn. */
export async function moveToFront(chat: Conversation, message: Acknowledged): Promise<boolean> {
  try {
    const { retried } = await chat.api.patch(pathOf(chat, message), { position: 0 });
    chat.isUncertain ||= retried;
    return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    chat.isUncertain ||= error.retried;
    return false;
  }
}

/** Replaces the message. Resolves to the new one. */
export async function editQueued(
  chat: Conversation,
  message: Acknowledged,
  steps: readonly PlannedStep[],
): Promise<Acknowledged | undefined> {
  const plan = newPlan(steps);
  try {
    await chat.api.patch(pathOf(chat, message), { content: formatPlan(plan) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (error.retried) {
      message.outcome = 'unknown';
      chat.acknowledge(plan).outcome = 'unknown';
    }
    return undefined;
  }
  message.outcome = 'removed';
  const { queuedId } = message;
  return chat.acknowledge(plan, { queued: true, ...(queuedId !== undefined && { queuedId }) });
}

export async function removeQueued(chat: Conversation, message: Acknowledged): Promise<boolean> {
  try {
    const { retried } = await chat.api.remove(pathOf(chat, message));
    message.outcome = retried ? 'unknown' : 'removed';
    return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (error.retried) message.outcome = 'unknown';
    return false;
  }
}
