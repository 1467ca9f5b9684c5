import type { ChatRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { fromMessageRecords, RECORD_TARGET, recordSource } from '../messages/records.ts';
import { CHOSEN_MODEL_CONFIG } from '../model-configs.ts';
import { CHAT_COLUMNS } from './columns.ts';

export type CreatedChat = ChatRow & {
  readonly message_id: number;
  readonly message_created_at: Date;
};

/**
 * A chat with its first message, all in one. $1: the model that is asked for, or null; no row: there is none to use.
 * $9: its MCP servers; null: the usual ones. $12: the message.
 */
export const createChat = statement<CreatedChat>(
  'create-chat',
  `WITH model AS (${CHOSEN_MODEL_CONFIG}),
   chat AS (
     INSERT INTO chats (id, owner_id, status, title, labels, plan_mode, model_config_id, reasoning_effort,
                        system_prompt, dynamic_tools, mcp_server_ids, workspace_id, title_source,
                        snapshot_version, history_version, queue_version)
     SELECT $2, $3, 'running', $4, $5, $6, model.id, $7, $8, $10,
            coalesce($9::uuid[], (SELECT coalesce(array_agg(id ORDER BY created_at, id), '{}')
                                    FROM mcp_servers
                                   WHERE enabled AND default_on)),
            $11, $13, 1, 1, 0
       FROM model
     RETURNING ${CHAT_COLUMNS}
   ), message AS (
     INSERT INTO messages (${RECORD_TARGET})
     SELECT chat.id, 1, NULL, NULL, NULL, ${recordSource('chat.model_config_id')}
       FROM chat, ${fromMessageRecords('$12')}
     RETURNING id, created_at
   )
   SELECT chat.*, message.id AS message_id, message.created_at AS message_created_at
     FROM chat, message`,
);

export const insertChat = statement<ChatRow>(
  'insert-chat',
  `INSERT INTO chats (id, owner_id, status, title, labels, plan_mode, model_config_id, reasoning_effort,
                      system_prompt, dynamic_tools, mcp_server_ids, workspace_id, parent_chat_id, root_chat_id,
                      title_source, agent_type, spawned_by_call, snapshot_version, history_version, queue_version)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 1, 1, 0)
   RETURNING ${CHAT_COLUMNS}`,
);
