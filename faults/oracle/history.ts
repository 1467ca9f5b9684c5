import { parsePlan } from '../deployment/plan.ts';
import type { MessageOutcome } from '../clients/conversation.ts';
import type { Check, Evidence } from './evidence.ts';
import { firstText } from './records.ts';

/** Every acknowledged message is in the history. */
export const acknowledgedStored: Check = async (evidence) => {
  const times = await timesStored(evidence);
  return evidence.acknowledged.flatMap(({ id, chatId, outcome }) =>
    ABSENT.has(outcome ?? 'answered') || outcome === 'unknown' || times(chatId, id) > 0
      ? []
      : [`acknowledged message ${id} is not in the history`],
  );
};

/** No acknowledged message is in the history more than once. */
export const acknowledgedOnce: Check = async (evidence) => {
  const times = await timesStored(evidence);
  return evidence.acknowledged.flatMap(({ id, chatId }) => {
    const found = times(chatId, id);
    return found <= 1 ? [] : [`acknowledged message ${id} is in the history ${found} times`];
  });
};

/** Removed and rejected messages, and their answers, are not in the history. */
export const removedAbsent: Check = async (evidence) => {
  const [stored, answered] = await Promise.all([timesStored(evidence), timesAnswered(evidence)]);
  return evidence.acknowledged.flatMap(({ id, chatId, steps, outcome = 'answered' }) => {
    if (!ABSENT.has(outcome)) return [];
    const answers = mayFail(evidence, chatId)
      ? 0
      : steps.filter((_, step) => answered(chatId, id, step) > 0).length;
    return [
      ...(stored(chatId, id) === 0 ? [] : [`message ${id} was ${outcome} but is in the history`]),
      ...(answers === 0 ? [] : [`message ${id} was ${outcome} but has ${answers} answers`]),
    ];
  });
};

const ABSENT: ReadonlySet<MessageOutcome> = new Set(['removed', 'rejected']);

const mayFail = (evidence: Evidence, chatId: string) => evidence.mayFail?.has(chatId) === true;

/** Number of times that a message is in the history. */
async function timesStored(evidence: Evidence): Promise<(chatId: string, id: string) => number> {
  const times = new Map<string, number>();
  for (const message of await evidence.records.messages(evidence.chats)) {
    if (message.role !== 'user') continue;
    const text = firstText(message);
    const key = `${message.chat_id} ${parsePlan(text)?.id ?? text}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  return (chatId, id) => times.get(`${chatId} ${id}`) ?? 0;
}

/** Every step of a message that was not interrupted has an answer. Skips chats that may fail. */
export const stepsAnswered: Check = async (evidence) => {
  const times = await timesAnswered(evidence);
  return evidence.acknowledged.flatMap(({ id, chatId, steps, outcome = 'answered' }) =>
    outcome !== 'answered' || mayFail(evidence, chatId)
      ? []
      : steps.flatMap((_, step) =>
          times(chatId, id, step) > 0 ? [] : [`step ${step} of message ${id} has no answer`],
        ),
  );
};

/** No step of a message has more than one answer. Skips chats that may fail. */
export const answeredOnce: Check = async (evidence) => {
  const times = await timesAnswered(evidence);
  return evidence.acknowledged.flatMap(({ id, chatId, steps, outcome = 'answered' }) =>
    mayFail(evidence, chatId)
      ? []
      : steps.flatMap((_, step) => {
          const found = times(chatId, id, step);
          return found <= 1
            ? []
            : [`step ${step} of message ${id} (${outcome}) has ${found} answers`];
        }),
  );
};

/** Number of answers per step in the history. */
export async function timesAnswered(
  evidence: Evidence,
): Promise<(chatId: string, id: string, step: number) => number> {
  const times = new Map<string, number>();
  for (const { chat_id, role, content } of await evidence.records.messages(evidence.chats)) {
    for (const part of role === 'assistant' ? content : []) {
      const [, step] = (part.type === 'text' && /^re:(\S+)/.exec(part.text)) || [];
      const key = `${chat_id} ${step}`;
      times.set(key, (times.get(key) ?? 0) + 1);
    }
  }
  return (chatId, id, step) => times.get(`${chatId} ${id}/${step}`) ?? 0;
}

/** The provider received no invalid prompt. */
export const validPrompts: Check = ({ rejectedPrompts }) =>
  Promise.resolve(
    rejectedPrompts.map((rejected) => `rejected prompt: ${JSON.stringify(rejected)}`),
  );
