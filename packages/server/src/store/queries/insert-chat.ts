import type { ChatRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { CHAT_COLUMNS } from './chat-columns.ts';

export const insertChat = statement<ChatRow>(
  'insert-chat',
  `INSERT INTO chats (id, owner_id, status, title, labels, plan_mode, model_config_id, reasoning_effort,
                      system_prompt, dynamic_tools, mcp_server_ids, workspace_id, parent_chat_id, root_chat_id,
                      title_source, agent_type, spawned_by_call, snapshot_version, history_version, queue_version)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 1, 1, 0)
   RETURNING ${CHAT_COLUMNS}`,
);
