import type { MessageRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { MESSAGE_COLUMNS } from './message-columns.ts';

export const replaceMessage = statement<MessageRow>(
  'replace-message',
  `UPDATE messages
      SET revision = $3, content = $4, created_by = $5, model_config_id = $6
    WHERE chat_id = $1 AND id = $2
   RETURNING ${MESSAGE_COLUMNS}`,
);
