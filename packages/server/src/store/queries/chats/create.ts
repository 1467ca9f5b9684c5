import type { ClaimableRow, ClaimParams } from '../../commands/claim.ts';
import type { ChatRow } from '../../../chat/row.ts';
import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';
import { fromMessageRecords, RECORD_TARGET, recordSource } from '../messages/records.ts';
import { usableBy } from '../groups.ts';
import { CHOSEN_MODEL_CONFIG } from '../model-configs.ts';
import { CLAIM, CLAIMED_APPROVALS } from '../runs/claim.ts';
import { CHAT_COLUMNS } from './columns.ts';

export type CreatedChat = ClaimableRow & {
  readonly message_id: number;
  readonly message_created_at: Date;
};

/**
 * A chat with its first message. Null :model_config_id: the default model; no row if no model is usable. Null
 * :mcp_server_ids: all servers that are on by default and that the owner can use. A worker with capacity claims the chat and begins its first
 * attempt.
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
    project_id: string | null;
    trigger_id: string | null;
    messages: JsonText;
    title_source: string;
  } & ClaimParams,
  CreatedChat
>(
  'create-chat',
  `WITH model AS (${CHOSEN_MODEL_CONFIG}),
   claim AS (${CLAIM}),
   chat AS (
     INSERT INTO chats (id, owner_id, status, title, labels, plan_mode, model_config_id, reasoning_effort,
                        system_prompt, dynamic_tools, mcp_server_ids, workspace_id, project_id, trigger_id, title_source,
                        snapshot_version, history_version, queue_version, attempt, runner_id, worker_id)
     SELECT :id, :owner_id, 'running', :title, :labels, :plan_mode, model.id, :reasoning_effort, :system_prompt, :dynamic_tools,
            coalesce(:mcp_server_ids::uuid[], (SELECT coalesce(array_agg(id ORDER BY created_at, id), '{}')
                                    FROM mcp_servers
                                   WHERE enabled AND default_on AND ${usableBy('mcp_servers', ':owner_id')})),
            :workspace_id, :project_id, :trigger_id, :title_source, 1, 1, 0,
            (claim.runner_id IS NOT NULL)::int, claim.runner_id,
            CASE WHEN claim.runner_id IS NOT NULL THEN :worker_id::uuid END
       FROM model LEFT JOIN claim ON true
     RETURNING ${CHAT_COLUMNS}, ${CLAIMED_APPROVALS}
   ), message AS (
     INSERT INTO messages (${RECORD_TARGET})
     SELECT chat.id, 1, NULL, NULL, NULL, ${recordSource('chat.model_config_id')}
       FROM chat, ${fromMessageRecords(':messages')}
     RETURNING id, created_at
   )
   SELECT chat.*, message.id AS message_id, message.created_at AS message_created_at
     FROM chat, message`,
);

/** A subagent belongs to the trigger of its parent. */
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
    project_id: string | null;
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
                      system_prompt, dynamic_tools, mcp_server_ids, workspace_id, project_id, parent_chat_id,
                      root_chat_id,
                      title_source, agent_type, spawned_by_call, trigger_id, snapshot_version, history_version, queue_version)
   VALUES (:id, :owner_id, :status, :title, :labels, :plan_mode, :model_config_id, :reasoning_effort, :system_prompt, :dynamic_tools, :mcp_server_ids, :workspace_id, :project_id, :parent_chat_id, :root_chat_id, :title_source, :agent_type, :spawned_by_call,
           (SELECT trigger_id FROM chats AS parent WHERE parent.id = :parent_chat_id), 1, 1, 0)
   RETURNING ${CHAT_COLUMNS}`,
);
