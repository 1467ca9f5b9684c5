import { plannedSubagents, parsePlan } from '../deployment/plan.ts';
import type { Check } from './evidence.ts';
import { ANSWERS, timesAnswered } from './history.ts';
import { firstText } from './records.ts';

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
  const { records, chats: checked } = evidence;
  const agents = (await records.chats(undefined)).filter(
    ({ parent_chat_id: parent }) => parent !== null && checked?.includes(parent) !== false,
  );
  const parents = new Map(agents.map(({ id, parent_chat_id }) => [id, parent_chat_id]));
  const children = (await records.messages([...parents.keys()])).flatMap((message) =>
    message.role === 'user'
      ? [{ id: message.chat_id, parent: parents.get(message.chat_id), text: firstText(message) }]
      : [],
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
