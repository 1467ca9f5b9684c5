import { statement } from '../statement.ts';

/** The transaction waits for object storage, which may take longer than sessions may be idle in a transaction. */
export const outlastStorage = statement<never>(
  'outlast-storage',
  `SELECT set_config('idle_in_transaction_session_timeout', '90s', true)`,
);
