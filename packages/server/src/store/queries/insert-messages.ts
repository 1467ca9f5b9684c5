import { statement } from '../statement.ts';
import { fromMessageRecords, RECORD_SOURCE, RECORD_TARGET } from './message-records.ts';

/** The caller holds the chat's lock, so ids grow in the order of the history. */
export const insertMessages = statement<{ id: number; created_at: Date }>(
  'insert-messages',
  `INSERT INTO messages (${RECORD_TARGET})
   SELECT $1, $2, $3, $4, $5, ${RECORD_SOURCE}
     FROM ${fromMessageRecords('$6')}
    ORDER BY record.ordinality
   RETURNING id, created_at`,
);
