import { parsePlan } from '../deployment/plan.ts';
import { type Check, type Evidence, chatFilter } from './evidence.ts';

interface StoredText {
  readonly chat_id: string;
  readonly text: string;
}

/** Every acknowledged message is in the history exactly once. Removed and rejected messages are not. */
export const acknowledgedOnce: Check = async (evidence) => {
  const stored = await evidence.witness.query<StoredText>(
    `SELECT chat_id, content->0->>'text' AS text FROM messages
      WHERE role = 'user' AND ($1::uuid[] IS NULL OR chat_id = ANY($1))`,
    chatFilter(evidence),
  );
  const times = new Map<string, number>();
  for (const { chat_id, text } of stored) {
    const key = `${chat_id} ${parsePlan(text)?.id ?? text}`;
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
  const stored = await evidence.witness.query<StoredText>(
    `SELECT chat_id, part->>'text' AS text
       FROM messages, jsonb_array_elements(content::jsonb) AS part
      WHERE role = 'assistant' AND part->>'type' = 'text'
        AND ($1::uuid[] IS NULL OR chat_id = ANY($1))`,
    chatFilter(evidence),
  );
  const times = new Map<string, number>();
  for (const { chat_id, text } of stored) {
    const [, step] = /^re:(\S+)/.exec(text) ?? [];
    const key = `${chat_id} ${step}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  return (chatId, id, step) => times.get(`${chatId} ${id}/${step}`) ?? 0;
}

/** The provider received no invalid prompt. */
export const validPrompts: Check = ({ rejectedPrompts }) =>
  Promise.resolve(
    rejectedPrompts.map((rejected) => `rejected prompt: ${JSON.stringify(rejected)}`),
  );
