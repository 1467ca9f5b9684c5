import { isDeepStrictEqual } from 'node:util';
import type { Check, Evidence } from './evidence.ts';
import { toolResults } from './records.ts';

/** Every tool call has a result, in the same chat. */
export const callsHaveResults: Check = async (evidence) =>
  (await countResults(evidence))
    .filter(({ calls, results }) => results < calls)
    .map(({ key, calls, results }) => `${key} has ${calls} calls and ${results} results`);

/** No tool call has more than one result. */
export const oneResultPerCall: Check = async (evidence) =>
  (await countResults(evidence))
    .filter(({ calls, results }) => results > calls)
    .map(({ key, calls, results }) => `${key} has ${calls} calls and ${results} results`);

/** Ids are unique only within a response. */
async function countResults({ records, chats }: Evidence) {
  const counts = new Map<string, { calls: number; results: number }>();
  for (const { chat_id, content } of await records.messages(chats)) {
    for (const part of content) {
      if (part.type !== 'tool-call' && part.type !== 'tool-result') continue;
      const key = `chat ${chat_id}: tool call ${part.tool_call_id}`;
      const count = counts.get(key) ?? { calls: 0, results: 0 };
      count[part.type === 'tool-call' ? 'calls' : 'results'] += 1;
      counts.set(key, count);
    }
  }
  return [...counts].map(([key, count]) => ({ key, ...count }));
}

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
export const resultsHaveEffects: Check = async ({ records, effects, chats }) => {
  const ended = new Set(effects.filter(({ what }) => what === 'end').map(({ key }) => key));
  return toolResults(await records.messages(chats)).flatMap(({ result }) => {
    const key = (result as { readonly counted?: string } | null)?.counted;
    return key === undefined || ended.has(key)
      ? []
      : [`tool call ${key} has a result but no effect`];
  });
};

/** Acknowledged results of clients are stored unchanged. */
export const submittedResultsStored: Check = async ({ records, acknowledged, chats }) => {
  const stored = toolResults(await records.messages(chats));
  const results = new Map(
    stored.map(({ chat_id, tool_call_id, result }) => [`${chat_id} ${tool_call_id}`, result]),
  );
  return acknowledged.flatMap(({ chatId, outcome, submitted = [] }) =>
    submitted
      .filter(
        ({ tool_call_id, output }) =>
          outcome !== 'removed' &&
          !isDeepStrictEqual(results.get(`${chatId} ${tool_call_id}`), output),
      )
      .map(({ tool_call_id }) => `the result of ${tool_call_id} was not stored unchanged`),
  );
};
