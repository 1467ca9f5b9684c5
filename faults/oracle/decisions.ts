import { DENIED_RESULT } from '../../packages/loop/src/history/message.ts';
import { type Check, judged } from './evidence.ts';

interface Result {
  readonly chat_id: string;
  readonly id: string;
  readonly error: boolean | null;
  readonly result: string | null;
}

/** The words of a call whose process died while it ran. */
const IS_CUT_OFF = /outcome of this call is unknown/;

/** What was denied never ran, nor did anything before it was allowed; what was allowed ran, or is told as cut off. */
export const decisionsHold: Check = async (evidence) => {
  const { acknowledged, effects } = evidence;
  const begun = effects.filter(({ what }) => what === 'begin');
  const ran = acknowledged.flatMap(({ decided = [], forbidden = [] }) => [
    ...decided.flatMap(({ key, decision, at }) =>
      begun.flatMap((effect) => {
        if (effect.key !== key) return [];
        if (decision === 'deny') return [`tool call ${key} was denied and ran`];
        return effect.at < at ? [`tool call ${key} ran before it was allowed`] : [];
      }),
    ),
    ...forbidden.flatMap((key) =>
      begun.some((effect) => effect.key === key) ? [`tool call ${key} ran and must not have`] : [],
    ),
  ]);
  const answered = acknowledged.filter(({ fate = 'answered', decided }) =>
    decided === undefined ? false : fate === 'answered',
  );
  if (answered.length === 0) return ran;
  const stored = await evidence.witness.query<Result>(
    `SELECT chat_id, part->>'tool_call_id' AS id, (part->>'is_error')::boolean AS error, part->>'result' AS result
       FROM messages, jsonb_array_elements(content::jsonb) AS part
      WHERE part->>'type' = 'tool-result' AND ($1::uuid[] IS NULL OR chat_id = ANY($1))`,
    judged(evidence),
  );
  const results = new Map(stored.map((one) => [`${one.chat_id} ${one.id}`, one]));
  const told = answered.flatMap(({ chatId, decided = [] }) =>
    decided.flatMap(({ tool_call_id, decision }) => {
      const { error, result } = results.get(`${chatId} ${tool_call_id}`) ?? {};
      const text = result ?? '';
      const isTrue =
        decision === 'deny' ? text === DENIED_RESULT : error !== true || IS_CUT_OFF.test(text);
      return isTrue ? [] : [`tool call ${tool_call_id} (${decision}) is answered with ${text}`];
    }),
  );
  return [...ran, ...told];
};
