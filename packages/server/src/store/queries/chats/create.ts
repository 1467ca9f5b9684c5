import type { ChatRow } from '../../../chat/row.ts';
import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';
import { fromMessageRecords, RECORD_TARGET, recordSource } from '../messages/records.ts';
import { CHOSEN_MODEL_CONFIG } from '../model-configs.ts';
import { CHAT_COLUMNS } from './columns.ts';

export type CreatedChat = ChatRow & {
  readonly message_id: number;
  readonly message_created_at: Date;
};

/**
 * A chat with its first message. Null :model_config_id: the default model; no row if no model is usable. Null
 * :mcp_server_ids: all servers that are on by default.
 */
export const createChat = statement<
  {
    model_config_id: string | null;
    id: string;
    owner_id: string;
    title: string;
    labels: JsonText;
    plan_mode: boolean;
    reasoning_effort: string | null;
    system_prompt: string | null;
    mcp_server_ids: readonly string[] | null;
    dynamic_tools: JsonText;
    workspace_id: string | null;
    messages: JsonText;
    title_source: string;
  },
  CreatedChat
>(
  'create-chat',
  `WITH model AS (${CHOSEN_MODEL_CONFIG}),
   chat AS (
     INSERT INTO chats (id, owner_id, status, title, labels, plan_mode, model_config_id, reasoning_effort,
                        system_prompt, dynamic_tools, mcp_server_ids, workspace_id, title_source,
                        snapshot_version, history_version, queue_version)
     SELECT :id, :owner_id, 'running', :title, :labels, :plan_mode, model.id, :reasoning_effort, :system_prompt, :dynamic_tools,
            coalesce(:mcp_server_ids::uuid[], (SELECT coalesce(array_agg(id ORDER BY created_at, id), '{}')
                                    FROM mcp_servers
                                   WHERE enabled AND default_on)),
            :workspace_id, :title_source, 1, 1, 0
       FROM model
     RETURNING ${CHAT_COLUMNS}
   ), message AS (
     INSERT INTO messages (${RECORD_TARGET})
     SELECT chat.id, 1, NULL, NULL, NULL, ${recordSource('chat.model_config_id')}
       FROM chat, ${fromMessageRecords(':messages')}
     RETURNING id, created_at
   )
   SELECT chat.*, message.id AS message_id, message.created_at AS message_created_at
     FROM chat, message`,
);

export const insertChat = statement<
  {
    id: string;
    owner_id: string;
    status: string;
    title: string;
    labels: JsonText;
    plan_mode: boolean;
    model_config_id: string;
    reasoning_effort: string | null;
    system_prompt: string | null;
    dynamic_tools: JsonText;
    mcp_server_ids: readonly string[];
    workspace_id: string | null;
    parent_chat_id: string | null;
    root_chat_id: string | null;
    title_source: string;
    agent_type: string | null;
    spawned_by_call: string | null;
  },
  ChatRow
>(
  'insert-chat',
  `INSERT INTO chats (id, owner_id, status, title, labels, plan_mode, model_config_id, reasoning_effort,
                      system_prompt, dynamic_tools, mcp_server_ids, workspace_id, parent_chat_id, root_chat_id,
                      title_source, agent_type, spawned_by_call, snapshot_version, history_version, queue_version)
   VALUES (:id, :owner_id, :status, :title, :labels, :plan_mode, :model_config_id, :reasoning_effort, :system_prompt, :dynamic_tools, :mcp_server_ids, :workspace_id, :parent_chat_id, :root_chat_id, :title_source, :agent_type, :spawned_by_call, 1, 1, 0)
   RETURNING ${CHAT_COLUMNS}`,
);
