import type { MessageRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { usageObject } from './columns.ts';

/** The columns that the loop reads. */
export type HistoryRow = Pick<
  MessageRow,
  'id' | 'role' | 'hidden' | 'content' | 'meta' | 'cost_micros' | 'runtime_ms' | 'usage'
>;

/** The last message before the last summary that meets the condition. 0: none. */
const lastBeforeSummary = (condition: string): string => `coalesce((
      SELECT id FROM messages
       WHERE chat_id = :chat_id AND id > :after_id AND id < (SELECT id FROM summary) AND ${condition}
       ORDER BY id DESC LIMIT 1), 0)`;

/**
 * The messages after :after_id that the loop needs: without a summary, all of them. A summary, the only kind of hidden
 * message, replaces what came before it, with two exceptions. The prompt still needs the last response, which may have
 * open calls, and all messages since. And the progress of the current turn is read from the last user message on. Each
 * bound is a backward scan of the primary key that stops at the first match.
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
