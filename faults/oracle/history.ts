import { planIn } from '../deployment/plan.ts';
import { type Check, type Evidence, judged } from './evidence.ts';

interface Said {
  readonly chat_id: string;
  readonly text: string;
}

/** Every acknowledged message is in the history, once; one that was edited away is not. */
export const acknowledgedOnce: Check = async (evidence) => {
  const said = await evidence.witness.query<Said>(
    `SELECT chat_id, content->0->>'text' AS text FROM messages
      WHERE role = 'user' AND ($1::uuid[] IS NULL OR chat_id = ANY($1))`,
    judged(evidence),
  );
  const times = new Map<string, number>();
  for (const { chat_id, text } of said) {
    const key = `${chat_id} ${planIn(text)?.id ?? text}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  return evidence.acknowledged.flatMap(({ id, chatId, fate }) => {
    const found = times.get(`${chatId} ${id}`) ?? 0;
    if (fate === 'gone' || fate === 'refused') {
      return found === 0 ? [] : [`message ${id} is ${fate} and is in the history`];
    }
    if (found === 0 && fate === 'untold') return [];
    return found === 1 ? [] : [`acknowledged message ${id} is in the history ${found} times`];
  });
};

/** Every message was answered by its last step, once, in chats that did not fail. */
export const answeredOnce: Check = async (evidence) => {
  const times = await timesAnswered(evidence);
  return evidence.acknowledged.flatMap(({ id, chatId, steps, fate = 'answered' }) => {
    if (evidence.mayFail?.has(chatId) === true) return [];
    return steps.flatMap((_, step) => {
      const found = times(chatId, id, step);
      const [least, most] = ANSWERS[fate];
      return found >= least && found <= most
        ? []
        : [`step ${step} of message ${id} (${fate}) was answered ${found} times`];
    });
  });
};

/** How often a step is answered in the history, by what became of its message. */
export const ANSWERS = {
  answered: [1, 1],
  cut: [0, 1],
  gone: [0, 0],
  refused: [0, 0],
  untold: [0, 1],
} as const;

/** How often each step of a message is answered in the history of a chat. */
export async function timesAnswered(
  evidence: Evidence,
): Promise<(chatId: string, id: string, step: number) => number> {
  const said = await evidence.witness.query<Said>(
    `SELECT chat_id, part->>'text' AS text
       FROM messages, jsonb_array_elements(content::jsonb) AS part
      WHERE role = 'assistant' AND part->>'type' = 'text'
        AND ($1::uuid[] IS NULL OR chat_id = ANY($1))`,
    judged(evidence),
  );
  const times = new Map<string, number>();
  for (const { chat_id, text } of said) {
    const [, step] = /^re:(\S+)/.exec(text) ?? [];
    const key = `${chat_id} ${step}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  return (chatId, id, step) => times.get(`${chatId} ${id}/${step}`) ?? 0;
}

/** The next prompt is one that the provider takes. */
export const usablePrompts: Check = ({ rejectedPrompts }) =>
  Promise.resolve(
    rejectedPrompts.map((rejected) => `the provider refused a prompt: ${JSON.stringify(rejected)}`),
  );
