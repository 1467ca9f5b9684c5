import { statement } from '../statement.ts';

/** As the first statement of a transaction: all that follow see the same state of the database. */
export const repeatableRead = statement<never>(
  'repeatable-read',
  `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`,
);
