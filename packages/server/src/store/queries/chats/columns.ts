import type { ChatRow } from '../../../chat/row.ts';

/** By name: a prepared `SELECT *` breaks on old replicas when a newer one adds a column. */
export const CHAT_COLUMNS = [
  'id',
  'owner_id',
  'status',
  'archived',
  'queue_length',
  'snapshot_version',
  'history_version',
  'queue_version',
  'retry_version',
  'reset_version',
  'attempt',
  'runner_id',
  'worker_id',
  'open_calls',
  'action_deadline',
  'compaction_requested',
  'retry',
  'last_error',
  'interrupted',
  'queued_for_capacity',
  'owner_deaths',
  'deaths_version',
  'title',
  'title_source',
  'labels',
  'pin_order',
  'plan_mode',
  'model_config_id',
  'reasoning_effort',
  'system_prompt',
  'dynamic_tools',
  'mcp_server_ids',
  'workspace_id',
  'project_id',
  'trigger_id',
  'parent_chat_id',
  'root_chat_id',
  'agent_type',
  'reply_version',
  'read_version',
  'created_at',
  'updated_at',
  'active_at',
  'deleted_at',
]
  .map((column) => `chats.${column}`)
  .join(', ');

/** A chat in a list; `activity` is `active_at` in microseconds, since a Date would lose some of them. */
export type ListedChat = ChatRow & { readonly activity: number };

export const LISTED_COLUMNS = `${CHAT_COLUMNS},
  (extract(epoch FROM chats.active_at) * 1000000)::bigint AS activity`;

/** The reverse, for a parameter. */
export const timeOf = (parameter: string): string =>
  `(timestamptz 'epoch' + ${parameter}::bigint * interval '1 microsecond')`;
