import type { ApprovalRule } from '@chatd/protocol';
import { statement } from '../statement.ts';

export const readApprovals = statement<{ rules: ApprovalRule[] }>(
  'read-approvals',
  `SELECT rules FROM user_approvals WHERE user_id = $1`,
);

export const writeApprovals = statement<{ rules: ApprovalRule[] }>(
  'write-approvals',
  `INSERT INTO user_approvals (user_id, rules) VALUES ($1, $2)
   ON CONFLICT (user_id) DO UPDATE SET rules = excluded.rules
   RETURNING rules`,
);

/** Rules go behind all others, so that they win; an older one with the same pattern goes. Two at once lose nothing. */
export const rememberApprovals = statement<never>(
  'remember-approvals',
  `INSERT INTO user_approvals (user_id, rules) VALUES ($1, $2)
   ON CONFLICT (user_id) DO UPDATE SET rules = (
     SELECT coalesce(jsonb_agg(kept.rule ORDER BY kept.place), '[]')
       FROM jsonb_array_elements(user_approvals.rules) WITH ORDINALITY AS kept (rule, place)
      WHERE NOT EXISTS (
        SELECT FROM jsonb_array_elements(excluded.rules) AS added (rule)
         WHERE added.rule ->> 'pattern' = kept.rule ->> 'pattern')
   ) || excluded.rules`,
);
