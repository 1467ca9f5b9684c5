import { DENIED_RESULT } from '../../packages/loop/src/history/message.ts';
import { type Check, chatFilter } from './evidence.ts';

interface Result {
  readonly chat_id: string;
  readonly id: string;
  readonly error: boolean | null;
  readonly result: string | null;
}

/** Result of a call whose process ended during the call. */
const UNKNOWN_OUTCOME = /outcome of this call is unknown/;

/** Denied calls never ran. Allowed calls did not run before the decision, and succeeded or report an unknown outcome. */
export const decisionsRespected: Check = async (evidence) => {
  const { acknowledged, effects } = evidence;
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
  const stored = await evidence.witness.query<Result>(
    `SELECT chat_id, part->>'tool_call_id' AS id, (part->>'is_error')::boolean AS error, part->>'result' AS result
       FROM messages, jsonb_array_elements(content::jsonb) AS part
      WHERE part->>'type' = 'tool-result' AND ($1::uuid[] IS NULL OR chat_id = ANY($1))`,
    chatFilter(evidence),
  );
  const results = new Map(stored.map((one) => [`${one.chat_id} ${one.id}`, one]));
  const unexpected = answered.flatMap(({ chatId, decisions = [] }) =>
    decisions.flatMap(({ tool_call_id, decision }) => {
      const { error, result } = results.get(`${chatId} ${tool_call_id}`) ?? {};
      const text = result ?? '';
      const isExpected =
        decision === 'deny'
          ? text.startsWith(DENIED_RESULT)
          : error !== true || UNKNOWN_OUTCOME.test(text);
      return isExpected ? [] : [`tool call ${tool_call_id} (${decision}) has the result ${text}`];
    }),
  );
  return [...ran, ...unexpected];
};
