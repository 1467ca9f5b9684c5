import type { MessageRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { MESSAGE_COLUMNS } from './message-columns.ts';

/** What this very attempt of this very runner committed, if it did: its answer may have been lost on the way. */
export const findCommit = statement<MessageRow>(
  'find-commit',
  `SELECT ${MESSAGE_COLUMNS}
     FROM messages
    WHERE chat_id = $1 AND runner_id = $2 AND base_version = $3 AND attempt = $4
    ORDER BY id`,
);
