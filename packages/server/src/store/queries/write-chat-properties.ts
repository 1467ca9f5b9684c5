import { statement } from '../statement.ts';

export const writeChatProperties = statement<never>(
  'write-chat-properties',
  `UPDATE chats
      SET title = $2, labels = $3, pin_order = $4, plan_mode = $5, dynamic_tools = $6, workspace_id = $7,
          title_source = $8, system_prompt = $9, mcp_server_ids = $10
    WHERE id = $1`,
);
