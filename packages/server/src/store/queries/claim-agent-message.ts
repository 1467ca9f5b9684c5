import { statement } from '../statement.ts';

/** No row: this call has sent its message before. */
export const claimAgentMessage = statement<{ call: string }>(
  'claim-agent-message',
  `INSERT INTO agent_messages (call, agent_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING call`,
);
