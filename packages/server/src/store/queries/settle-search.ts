import { statement } from '../statement.ts';

/** Where the indexer begins. The row stays locked until the end of the transaction. */
export const beginIndexing = statement<{ from_id: number }>(
  'begin-indexing',
  `SELECT from_id FROM search_pending WHERE chat_id = $1 FOR UPDATE`,
);

/** Everything of the chat is indexed. */
export const endIndexing = statement<never>(
  'end-indexing',
  `DELETE FROM search_pending WHERE chat_id = $1`,
);

/** Everything of the chat before $2 is indexed. */
export const continueIndexing = statement<never>(
  'continue-indexing',
  `UPDATE search_pending SET from_id = $2 WHERE chat_id = $1`,
);
