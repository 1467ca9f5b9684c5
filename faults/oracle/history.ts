import { planIn } from '../deployment/plan.ts';
import type { Check } from './evidence.ts';

interface Said {
  readonly chat_id: string;
  readonly text: string;
}

/** Every acknowledged message is in the history, once. */
export const acknowledgedOnce: Check = async ({ witness, acknowledged }) => {
  const said = await witness.query<Said>(
    `SELECT chat_id, content->0->>'text' AS text FROM messages WHERE role = 'user'`,
  );
  const times = new Map<string, number>();
  for (const { chat_id, text } of said) {
    const key = `${chat_id} ${planIn(text)?.id ?? text}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  return acknowledged.flatMap(({ id, chatId }) => {
    const found = times.get(`${chatId} ${id}`) ?? 0;
    return found === 1 ? [] : [`acknowledged message ${id} is in the history ${found} times`];
  });
};

/** Every message was answered by its last step, once, in chats that did not fail. */
export const answeredOnce: Check = async ({ witness, acknowledged, mayFail }) => {
  const said = await witness.query<Said>(
    `SELECT chat_id, part->>'text' AS text
       FROM messages, jsonb_array_elements(content::jsonb) AS part
      WHERE role = 'assistant' AND part->>'type' = 'text'`,
  );
  const times = new Map<string, number>();
  for (const { chat_id, text } of said) {
    const [, step] = /^re:(\S+)/.exec(text) ?? [];
    const key = `${chat_id} ${step}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  return acknowledged.flatMap(({ id, chatId, steps }) => {
    if (mayFail?.has(chatId) === true) return [];
    return steps.flatMap((_, step) => {
      const found = times.get(`${chatId} ${id}/${step}`) ?? 0;
      return found === 1 ? [] : [`step ${step} of message ${id} was answered ${found} times`];
    });
  });
};

/** The next prompt is one that the provider takes. */
export const usablePrompts: Check = ({ rejectedPrompts }) =>
  Promise.resolve(
    rejectedPrompts.map((rejected) => `the provider refused a prompt: ${JSON.stringify(rejected)}`),
  );
