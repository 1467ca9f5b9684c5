import type { ApprovalRule } from '@chatd/protocol';
import { statement } from '../statement.ts';

export const writeApprovals = statement<{ rules: ApprovalRule[] }>(
  'write-approvals',
  `INSERT INTO user_approvals (user_id, rules) VALUES ($1, $2)
   ON CONFLICT (user_id) DO UPDATE SET rules = excluded.rules
   RETURNING rules`,
);
