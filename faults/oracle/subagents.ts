import { plannedSubagents, parsePlan } from '../deployment/plan.ts';
import { type Check, chatFilter } from './evidence.ts';
import { ANSWERS, timesAnswered } from './history.ts';

/**
 * Every subagent is one child chat that performed its task once. If the message was interrupted or removed, the subagent
 * may be missing or unfinished.
 */
export const subagentsRunOnce: Check = async (evidence) => {
  // A fork copies the messages of a chat, not its subagents.
  const messages = evidence.acknowledged.filter(
    (message) => message.copied !== true && plannedSubagents(message).length > 0,
  );
  if (messages.length === 0) return [];
  const children = await evidence.witness.query<{ id: string; parent: string; text: string }>(
    `SELECT chats.id, chats.parent_chat_id AS parent, messages.content->0->>'text' AS text
       FROM chats JOIN messages ON messages.chat_id = chats.id AND messages.role = 'user'
      WHERE chats.parent_chat_id IS NOT NULL
        AND ($1::uuid[] IS NULL OR chats.parent_chat_id = ANY($1))`,
    chatFilter(evidence),
  );
  const times = await timesAnswered(evidence);
  return messages.flatMap((message) => {
    const [least] = ANSWERS[message.outcome ?? 'answered'];
    return plannedSubagents(message).flatMap(({ id, steps }) => {
      const chats = children.filter(
        ({ parent, text }) => parent === message.chatId && parsePlan(text)?.id === id,
      );
      const [chat] = chats;
      if (chats.length > 1 || chats.length < least) {
        return [`subagent ${id} was started ${chats.length} times`];
      }
      return steps.flatMap((_, step) => {
        const found = chat === undefined ? 0 : times(chat.id, id, step);
        return found >= least && found <= 1
          ? []
          : [`step ${step} of subagent ${id} has ${found} answers`];
      });
    });
  });
};
