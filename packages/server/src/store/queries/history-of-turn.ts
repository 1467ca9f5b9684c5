import type { MessageRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { usageObject } from './message-usage.ts';

/** Of a message, what the loop reads: a history may be long, and is read as a whole. */
export type HistoryRow = Pick<
  MessageRow,
  'id' | 'role' | 'hidden' | 'content' | 'meta' | 'cost_micros' | 'runtime_ms' | 'usage'
>;

/**
 * What the loop looks at: everything after the message $2 and, of that, nothing that a summary stands for. The
 * loop also counts what the turn did that was summarised, so it begins with the message that began that turn.
 */
export const historyOfTurn = statement<HistoryRow>(
  'history-of-turn',
  `WITH summary AS (
     SELECT max(id) AS id FROM messages WHERE chat_id = $1 AND id > $2 AND hidden
   )
   SELECT messages.id, messages.role, messages.hidden, messages.content, messages.meta, messages.cost_micros,
          messages.runtime_ms, ${usageObject('messages.usage')} AS usage
     FROM messages
    WHERE chat_id = $1
      AND id > $2
      AND id >= coalesce((SELECT max(asked.id)
                            FROM messages AS asked, summary
                           WHERE asked.chat_id = $1 AND asked.id < summary.id
                             AND asked.role = 'user' AND NOT asked.hidden), 0)
    ORDER BY id`,
);
