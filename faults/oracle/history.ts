import { parsePlan } from '../deployment/plan.ts';
import type { Check, Evidence } from './evidence.ts';
import { firstText } from './records.ts';

/** Every acknowledged message is in the history exactly once. Removed and rejected messages are not. */
export const acknowledgedOnce: Check = async (evidence) => {
  const times = new Map<string, number>();
  for (const message of await evidence.records.messages(evidence.chats)) {
    if (message.role !== 'user') continue;
    const text = firstText(message);
    const key = `${message.chat_id} ${parsePlan(text)?.id ?? text}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  return evidence.acknowledged.flatMap(({ id, chatId, outcome }) => {
    const found = times.get(`${chatId} ${id}`) ?? 0;
    if (outcome === 'removed' || outcome === 'rejected') {
      return found === 0 ? [] : [`message ${id} was ${outcome} but is in the history`];
    }
    if (found === 0 && outcome === 'unknown') return [];
    return found === 1 ? [] : [`acknowledged message ${id} is in the history ${found} times`];
  });
};

/** Every step of a message has exactly one answer, or at most one if it was interrupted. Skips chats that may fail. */
export const answeredOnce: Check = async (evidence) => {
  const times = await timesAnswered(evidence);
  return evidence.acknowledged.flatMap(({ id, chatId, steps, outcome = 'answered' }) => {
    if (evidence.mayFail?.has(chatId) === true) return [];
    return steps.flatMap((_, step) => {
      const found = times(chatId, id, step);
      const [least, most] = ANSWERS[outcome];
      return found >= least && found <= most
        ? []
        : [`step ${step} of message ${id} (${outcome}) has ${found} answers`];
    });
  });
};

/** Minimum and maximum number of answers per step, by the outcome of its message. */
export const ANSWERS = {
  answered: [1, 1],
  interrupted: [0, 1],
  removed: [0, 0],
  rejected: [0, 0],
  unknown: [0, 1],
} as const;

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
