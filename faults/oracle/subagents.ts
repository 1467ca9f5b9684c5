import { plannedSubagents, parsePlan } from '../deployment/plan.ts';
import type { MessageOutcome } from '../clients/conversation.ts';
import type { Check, Evidence } from './evidence.ts';
import { timesAnswered } from './history.ts';
import { firstText } from './records.ts';

/** Every subagent of a message that was not interrupted or removed has a child chat that performed its task. */
export const subagentsFinish: Check = async (evidence) =>
  (await countSubagents(evidence)).flatMap(({ id, outcome, chats, answers }) => {
    if (outcome !== 'answered') return [];
    if (chats === 0) return [`subagent ${id} was not started`];
    return answers.flatMap((found, step) =>
      found > 0 ? [] : [`step ${step} of subagent ${id} has no answer`],
    );
  });

/** No subagent has several child chats or performed its task several times. */
export const subagentsRunOnce: Check = async (evidence) =>
  (await countSubagents(evidence)).flatMap(({ id, chats, answers }) => {
    if (chats > 1) return [`subagent ${id} was started ${chats} times`];
    return answers.flatMap((found, step) =>
      found <= 1 ? [] : [`step ${step} of subagent ${id} has ${found} answers`],
    );
  });

interface SubagentCount {
  readonly id: string;
  /** Of the message that starts it. */
  readonly outcome: MessageOutcome;
  readonly chats: number;
  /** Number of answers by step, in its first chat. */
  readonly answers: readonly number[];
}

async function countSubagents(evidence: Evidence): Promise<SubagentCount[]> {
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
  return messages.flatMap((message) =>
    plannedSubagents(message).map(({ id, steps }) => {
      const chats = children.filter(
        ({ parent, text }) => parent === message.chatId && parsePlan(text)?.id === id,
      );
      const [chat] = chats;
      return {
        id,
        outcome: message.outcome ?? 'answered',
        chats: chats.length,
        answers: steps.map((_, step) => (chat === undefined ? 0 : times(chat.id, id, step))),
      };
    }),
  );
}
