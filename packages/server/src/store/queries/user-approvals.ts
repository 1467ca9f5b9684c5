import type { ApprovalRule } from '@chatd/protocol';
import type { JsonText } from '../json.ts';
import { statement } from '../statement.ts';
import { RULES_OF_CHAT } from './runs/claim.ts';

export const readApprovals = statement<{ user_id: string }, { rules: ApprovalRule[] }>(
  'read-approvals',
  `SELECT rules FROM user_approvals WHERE user_id = :user_id`,
);

export const readApprovalsOfChat = statement<{ chat_id: string }, { rules: ApprovalRule[] | null }>(
  'read-approvals-of-chat',
  `SELECT ${RULES_OF_CHAT} AS rules FROM chats WHERE id = :chat_id`,
);

export const writeApprovals = statement<
  { user_id: string; rules: JsonText },
  { rules: ApprovalRule[] }
>(
  'write-approvals',
  `INSERT INTO user_approvals (user_id, rules) VALUES (:user_id, :rules)
   ON CONFLICT (user_id) DO UPDATE SET rules = excluded.rules
   RETURNING rules`,
);

/**
 * Appends rules, so that they take precedence, and removes older ones with the same pattern and those of purged chats.
 * Concurrent additions are all kept.
 */
export const rememberApprovals = statement<{ user_id: string; rules: JsonText }, { count: number }>(
  'remember-approvals',
  `INSERT INTO user_approvals (user_id, rules) VALUES (:user_id, :rules)
   ON CONFLICT (user_id) DO UPDATE SET rules = (
     SELECT coalesce(jsonb_agg(kept.rule ORDER BY kept.place), '[]')
       FROM jsonb_array_elements(user_approvals.rules) WITH ORDINALITY AS kept (rule, place)
      WHERE NOT EXISTS (
        SELECT FROM jsonb_array_elements(excluded.rules) AS added (rule)
         WHERE added.rule ->> 'pattern' = kept.rule ->> 'pattern')
        AND CASE WHEN kept.rule ->> 'pattern' ~ '^chat:[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12} '
                 THEN EXISTS (SELECT FROM chats WHERE id = substr(kept.rule ->> 'pattern', 6, 36)::uuid)
                 ELSE true END
   ) || excluded.rules
   RETURNING jsonb_array_length(rules) AS count`,
);
