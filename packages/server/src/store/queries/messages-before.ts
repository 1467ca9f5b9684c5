import type { MessageRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { MESSAGE_COLUMNS } from './message-columns.ts';

/** Backward from a message, or from the newest if $2 is null; newest first, through messages_by_chat. */
export const messagesBefore = statement<MessageRow>(
  'messages-before',
  `SELECT ${MESSAGE_COLUMNS}
     FROM messages
    WHERE chat_id = $1 AND id < coalesce($2::bigint, 9223372036854775807) AND NOT hidden
    ORDER BY id DESC
    LIMIT $3`,
);
