import { DENIED_RESULT } from '../../packages/loop/src/history/message.ts';
import type { Check } from './evidence.ts';
import { toolResults } from './records.ts';

/** Result of a call whose process ended during the call. */
const UNKNOWN_OUTCOME = /outcome of this call is unknown/;

/** Denied calls never ran. Allowed calls did not run before the decision, and succeeded or report an unknown outcome. */
export const decisionsRespected: Check = async ({ records, acknowledged, effects, chats }) => {
  const starts = effects.filter(({ what }) => what === 'begin');
  const ran = acknowledged.flatMap(({ decisions = [], forbidden = [] }) => [
    ...decisions.flatMap(({ key, decision, at }) =>
      starts.flatMap((effect) => {
        if (effect.key !== key) return [];
        if (decision === 'deny') return [`tool call ${key} ran although it was denied`];
        return effect.at < at ? [`tool call ${key} ran before it was allowed`] : [];
      }),
    ),
    ...forbidden.flatMap((key) =>
      starts.some((effect) => effect.key === key) ? [`tool call ${key} was forbidden but ran`] : [],
    ),
  ]);
  const answered = acknowledged.filter(({ outcome = 'answered', decisions }) =>
    decisions === undefined ? false : outcome === 'answered',
  );
  if (answered.length === 0) return ran;
  const stored = toolResults(await records.messages(chats));
  const results = new Map(stored.map((one) => [`${one.chat_id} ${one.tool_call_id}`, one]));
  const unexpected = answered.flatMap(({ chatId, decisions = [] }) =>
    decisions.flatMap(({ tool_call_id, decision }) => {
      const { is_error, result } = results.get(`${chatId} ${tool_call_id}`) ?? {};
      const text = typeof result === 'string' ? result : JSON.stringify(result ?? '');
      const isExpected =
        decision === 'deny'
          ? text.startsWith(DENIED_RESULT)
          : is_error !== true || UNKNOWN_OUTCOME.test(text);
      return isExpected ? [] : [`tool call ${tool_call_id} (${decision}) has the result ${text}`];
    }),
  );
  return [...ran, ...unexpected];
};
