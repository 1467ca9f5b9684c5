import { isDeepStrictEqual } from 'node:util';
import { type Check, chatFilter } from './evidence.ts';

/** Every tool call has exactly one result, in the same chat. Ids are unique only within a response. */
export const oneResultPerCall: Check = async (evidence) => {
  const wrong = await evidence.witness.query<{
    chat_id: string;
    tool_call_id: string;
    calls: number;
    results: number;
  }>(
    `SELECT chat_id, part->>'tool_call_id' AS tool_call_id,
            count(*) FILTER (WHERE part->>'type' = 'tool-call')::int AS calls,
            count(*) FILTER (WHERE part->>'type' = 'tool-result')::int AS results
       FROM messages, jsonb_array_elements(content::jsonb) AS part
      WHERE part->>'type' IN ('tool-call', 'tool-result')
        AND ($1::uuid[] IS NULL OR chat_id = ANY($1))
      GROUP BY chat_id, part->>'tool_call_id'
     HAVING count(*) FILTER (WHERE part->>'type' = 'tool-call')
         <> count(*) FILTER (WHERE part->>'type' = 'tool-result')`,
    chatFilter(evidence),
  );
  return wrong.map(
    ({ chat_id, tool_call_id, calls, results }) =>
      `chat ${chat_id}: tool call ${tool_call_id} has ${calls} calls and ${results} results`,
  );
};

/** No tool call started more than once, on any replica. */
export const effectsAtMostOnce: Check = ({ effects }) => {
  const starts = new Map<string, number>();
  for (const { key, what } of effects) {
    if (what === 'begin') starts.set(key, (starts.get(key) ?? 0) + 1);
  }
  const twice = [...starts].filter(([, times]) => times > 1);
  return Promise.resolve(twice.map(([key, times]) => `tool call ${key} started ${times} times`));
};

/** A successful result implies an effect. */
export const resultsHaveEffects: Check = async (evidence) => {
  const { witness, effects } = evidence;
  const ended = new Set(effects.filter(({ what }) => what === 'end').map(({ key }) => key));
  const counted = await witness.query<{ key: string }>(
    `SELECT part->'result'->>'counted' AS key
       FROM messages, jsonb_array_elements(content::jsonb) AS part
      WHERE part->>'type' = 'tool-result' AND part->'result' ? 'counted'
        AND ($1::uuid[] IS NULL OR chat_id = ANY($1))`,
    chatFilter(evidence),
  );
  return counted
    .filter(({ key }) => !ended.has(key))
    .map(({ key }) => `tool call ${key} has a result but no effect`);
};

/** Acknowledged results of clients are stored unchanged. */
export const submittedResultsStored: Check = async (evidence) => {
  const stored = await evidence.witness.query<{ chat_id: string; id: string; result: unknown }>(
    `SELECT chat_id, part->>'tool_call_id' AS id, part->'result' AS result
       FROM messages, jsonb_array_elements(content::jsonb) AS part
      WHERE part->>'type' = 'tool-result' AND ($1::uuid[] IS NULL OR chat_id = ANY($1))`,
    chatFilter(evidence),
  );
  const results = new Map(stored.map(({ chat_id, id, result }) => [`${chat_id} ${id}`, result]));
  return evidence.acknowledged.flatMap(({ chatId, outcome, submitted = [] }) =>
    submitted
      .filter(
        ({ tool_call_id, output }) =>
          outcome !== 'removed' &&
          !isDeepStrictEqual(results.get(`${chatId} ${tool_call_id}`), output),
      )
      .map(({ tool_call_id }) => `the result of ${tool_call_id} was not stored unchanged`),
  );
};
