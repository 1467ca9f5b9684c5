import { statement } from '../statement.ts';

/** Chats whose client did not answer in time, through chats_awaiting_action. */
export const expiredActions = statement<{ id: string }>(
  'expired-actions',
  `SELECT id FROM chats
    WHERE status = 'requires_action' AND action_deadline < clock_timestamp()
    ORDER BY action_deadline
    LIMIT $1`,
);
