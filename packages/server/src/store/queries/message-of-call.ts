import { statement } from '../statement.ts';

/**
 * The newest message of a chat that makes this call: ids of calls are unique within a message only. A call that is
 * being run is in one of the last messages.
 */
export const messageOfCall = statement<{ id: number }>(
  'message-of-call',
  `SELECT id
     FROM (SELECT id, content FROM messages WHERE chat_id = $1 AND role = 'assistant' ORDER BY id DESC LIMIT 10) last
    WHERE content::jsonb
          @> jsonb_build_array(jsonb_build_object('type', 'tool-call', 'tool_call_id', $2::text))
    ORDER BY id DESC
    LIMIT 1`,
);
