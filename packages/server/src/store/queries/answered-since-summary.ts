import { statement } from '../statement.ts';

/** Whether the agent has said anything that the last summary (the only hidden messages) does not hold. */
export const answeredSinceSummary = statement<{ answered: boolean }>(
  'answered-since-summary',
  `SELECT EXISTS (
     SELECT FROM messages
      WHERE chat_id = $1 AND role = 'assistant'
        AND id > coalesce((SELECT max(id) FROM messages WHERE chat_id = $1 AND hidden), 0)
   ) AS answered`,
);
