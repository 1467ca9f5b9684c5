import type { UsageRow } from '../usage.ts';
import { statement } from '../statement.ts';
import { USAGE_COLUMNS } from './usage-columns.ts';

/**
 * What a chat ($1) of the family of $2 and its descendants have spent, by model. A root's family is in the books, even
 * the part of it that is gone. UNION guards against cycles.
 */
export const chatCost = statement<UsageRow>(
  'chat-cost',
  `WITH RECURSIVE family AS (
     SELECT $1::uuid AS id
     UNION
     SELECT chats.id FROM chats JOIN family ON chats.parent_chat_id = family.id
   )
   SELECT model_config_id::text AS key, ${USAGE_COLUMNS}
     FROM model_calls
    WHERE root_chat_id = $2::uuid AND ($1 = $2 OR chat_id IN (SELECT id FROM family))
    GROUP BY model_config_id
    ORDER BY cost_micros DESC, key`,
);
