import { plannedAgents, planIn } from '../deployment/plan.ts';
import { type Check, judged } from './evidence.ts';
import { ANSWERS, timesAnswered } from './history.ts';

/**
 * Every agent that a message has started is one chat below its own, which did what it was told, once. Where the message
 * was cut short or edited away, the agent may not have been started, nor have come to its end.
 */
export const agentsOnce: Check = async (evidence) => {
  // A fork has the words of an agent's parent, and no agent.
  const messages = evidence.acknowledged.filter(
    (message) => message.copied !== true && plannedAgents(message).length > 0,
  );
  if (messages.length === 0) return [];
  const below = await evidence.witness.query<{ id: string; parent: string; text: string }>(
    `SELECT chats.id, chats.parent_chat_id AS parent, messages.content->0->>'text' AS text
       FROM chats JOIN messages ON messages.chat_id = chats.id AND messages.role = 'user'
      WHERE chats.parent_chat_id IS NOT NULL
        AND ($1::uuid[] IS NULL OR chats.parent_chat_id = ANY($1))`,
    judged(evidence),
  );
  const times = await timesAnswered(evidence);
  return messages.flatMap((message) => {
    const [least] = ANSWERS[message.fate ?? 'answered'];
    return plannedAgents(message).flatMap(({ id, steps }) => {
      const chats = below.filter(
        ({ parent, text }) => parent === message.chatId && planIn(text)?.id === id,
      );
      const [chat] = chats;
      if (chats.length > 1 || chats.length < least) {
        return [`the agent ${id} was started ${chats.length} times`];
      }
      return steps.flatMap((_, step) => {
        const found = chat === undefined ? 0 : times(chat.id, id, step);
        return found >= least && found <= 1
          ? []
          : [`step ${step} of the agent ${id} was answered ${found} times`];
      });
    });
  });
};
