import type { HistoryMessage, HistoryPart, MessageMeta } from '@chatd/loop';
import type { MessageRow, StoredPart } from '../chat/row.ts';
import type { NewMessage } from '../chat/writes.ts';

/** A message of the loop on its way into the database. All of it is JSON: that is the loop's promise. */
export function asNewMessage(message: HistoryMessage, modelConfigId: string): NewMessage {
  const { role, content, hidden, usage, cost_micros, runtime_ms, meta } = message;
  return {
    role,
    content: content as unknown as StoredPart[],
    ...(role === 'assistant' && { model_config_id: modelConfigId }),
    ...(hidden === true && { hidden }),
    ...(usage && { usage }),
    ...(cost_micros !== undefined && { cost_micros }),
    ...(runtime_ms !== undefined && { runtime_ms }),
    ...(meta && { meta: meta as NewMessage['meta'] & object }),
  };
}

/** And back. */
export function asHistoryMessage(row: MessageRow): HistoryMessage {
  return {
    role: row.role,
    content: row.content as unknown as HistoryPart[],
    ...(row.hidden && { hidden: true }),
    ...(row.usage && { usage: row.usage }),
    ...(row.cost_micros !== null && { cost_micros: row.cost_micros }),
    ...(row.runtime_ms !== null && { runtime_ms: row.runtime_ms }),
    ...(row.meta !== null && { meta: row.meta as unknown as MessageMeta }),
  };
}
