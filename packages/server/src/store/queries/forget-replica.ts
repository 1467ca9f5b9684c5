import { statement } from '../statement.ts';

export const forgetReplica = statement<never>(
  'forget-replica',
  `DELETE FROM workers WHERE id = $1`,
);
