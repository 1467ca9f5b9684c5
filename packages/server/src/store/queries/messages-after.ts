import type { MessageRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { MESSAGE_COLUMNS } from './message-columns.ts';

/** Forward from a message, up to another if $3 is not null; through messages_by_chat. */
export const messagesAfter = statement<MessageRow>(
  'messages-after',
  `SELECT ${MESSAGE_COLUMNS}
     FROM messages
    WHERE chat_id = $1 AND id > $2 AND id < coalesce($3::bigint, 9223372036854775807) AND NOT hidden
    ORDER BY id
    LIMIT $4`,
);
