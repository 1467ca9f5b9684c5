import type { MessageRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { usageObject } from './columns.ts';

/** Of a message, what the loop reads: a history may be long, and is read as a whole. */
export type HistoryRow = Pick<
  MessageRow,
  'id' | 'role' | 'hidden' | 'content' | 'meta' | 'cost_micros' | 'runtime_ms' | 'usage'
>;

/** The id of the last message before the last summary after :after_id that meets the condition; 0 if there is none. */
const lastBeforeSummary = (condition: string): string => `coalesce((
      SELECT id FROM messages
       WHERE chat_id = :chat_id AND id > :after_id AND id < (SELECT id FROM summary) AND ${condition}
       ORDER BY id DESC LIMIT 1), 0)`;

/**
 * The messages after :after_id that the loop needs. Without a summary these are all of them. A summary, the only kind of hidden
 * message, replaces what came before it, with two exceptions. The prompt still needs the last response, which may have
 * open calls, and all messages since, which the model has not answered. And what the current turn did is read from the
 * user's last message on. Each bound is a backward scan of the primary key that stops at the first match.
 */
export const historyOfTurn = statement<{ chat_id: string; after_id: number }, HistoryRow>(
  'history-of-turn',
  `WITH summary AS (
     SELECT max(id) AS id FROM messages WHERE chat_id = :chat_id AND id > :after_id AND hidden
   )
   SELECT messages.id, messages.role, messages.hidden, messages.content, messages.meta, messages.cost_micros,
          messages.runtime_ms, ${usageObject('messages.usage')} AS usage
     FROM messages
    WHERE chat_id = :chat_id
      AND id > :after_id
      AND id >= least(
        ${lastBeforeSummary(`role = 'assistant' AND meta ->> 'finish_reason' IS NOT NULL`)},
        ${lastBeforeSummary(`role = 'user' AND NOT hidden`)})
    ORDER BY id`,
);
