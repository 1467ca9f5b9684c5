import type { ApprovalRule } from '@chatd/protocol';
import { statement } from '../statement.ts';

export const readApprovals = statement<{ rules: ApprovalRule[] }>(
  'read-approvals',
  `SELECT rules FROM user_approvals WHERE user_id = $1`,
);
