import type { HistoryMessage, HistoryPart, MessageMeta } from '@chatd/loop';
import type { Json } from '@chatd/protocol';
import type { StoredPart } from '../chat/row.ts';
import type { NewMessage } from '../chat/writes.ts';
import type { HistoryRow } from '../store/queries/messages/history-of-turn.ts';

/** What the loop stores with a message, without what the message or the one before it implies. */
interface StoredMeta extends Omit<MessageMeta, 'starts'> {
  /** True: all calls of the message. */
  starts?: string[] | true;
}

/** A message of the loop as a row. The loop guarantees that all of it is JSON. */
export function asNewMessage(message: HistoryMessage, modelConfigId: string): NewMessage {
  const { role, content, hidden, usage, cost_micros, runtime_ms } = message;
  const meta = storedMeta(message);
  return {
    role,
    content: content as unknown as StoredPart[],
    ...(role === 'assistant' && { model_config_id: modelConfigId }),
    ...(hidden === true && { hidden }),
    ...(usage && { usage }),
    ...(cost_micros !== undefined && { cost_micros }),
    ...(runtime_ms !== undefined && { runtime_ms }),
    ...(meta && { meta: meta as Json }),
  };
}

/** The reverse. `before` is the response whose calls a tool message answers. */
function asHistoryMessage(row: HistoryRow, before: HistoryMessage | undefined): HistoryMessage {
  const content = row.content as unknown as HistoryPart[];
  const meta = readMeta(row, content, before);
  return {
    role: row.role,
    content,
    ...(row.hidden && { hidden: true }),
    ...(row.usage && { usage: row.usage }),
    ...(row.cost_micros !== null && { cost_micros: row.cost_micros }),
    ...(row.runtime_ms !== null && { runtime_ms: row.runtime_ms }),
    ...(meta && { meta }),
  };
}

/** Rows that follow a history, as messages of the loop. */
export function asHistory(
  known: readonly HistoryMessage[],
  rows: readonly HistoryRow[],
): HistoryMessage[] {
  let response = known.findLast(isResponse);
  return rows.map((row) => {
    const message = asHistoryMessage(row, response);
    if (isResponse(message)) response = message;
    return message;
  });
}

/** A summary is not a response: results of a response may follow it. */
const isResponse = ({ role, meta }: HistoryMessage): boolean =>
  role === 'assistant' && meta?.compaction === undefined;

function storedMeta({ role, content, meta }: HistoryMessage): StoredMeta | undefined {
  if (meta === undefined) return undefined;
  const { starts, provider, model, finish_raw, ...rest } = meta;
  const isResult = role === 'tool' && meta.compaction === undefined;
  const stored: StoredMeta = {
    ...rest,
    ...(starts && { starts: startsAll(starts, content) ? true : starts }),
    ...(!isResult && provider !== undefined && { provider }),
    ...(!isResult && model !== undefined && { model }),
    ...(finish_raw !== undefined && !sameWord(finish_raw, meta.finish_reason) && { finish_raw }),
  };
  return Object.keys(stored).length === 0 ? undefined : stored;
}

function readMeta(
  row: HistoryRow,
  content: readonly HistoryPart[],
  before: HistoryMessage | undefined,
): MessageMeta | undefined {
  const { starts, ...stored } = (row.meta ?? {}) as unknown as StoredMeta;
  const isResult = row.role === 'tool' && stored.compaction === undefined;
  const { provider, model } = (isResult ? before?.meta : undefined) ?? {};
  const meta: MessageMeta = {
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...stored,
    ...(starts && { starts: starts === true ? callIds(content) : starts }),
  };
  return Object.keys(meta).length === 0 ? undefined : meta;
}

const callIds = (content: readonly HistoryPart[]): string[] =>
  content.flatMap((part) =>
    part.type === 'tool-call' && part.provider_executed !== true ? [part.tool_call_id] : [],
  );

const startsAll = (starts: readonly string[], content: readonly HistoryPart[]): boolean =>
  callIds(content).join() === starts.join();

/** `tool_calls` and `tool-calls` mean the same, so the provider's spelling is not stored. */
const sameWord = (raw: string, reason: string | undefined): boolean =>
  raw.replaceAll('_', '-') === reason;
