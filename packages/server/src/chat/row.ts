import type {
  ActionKind,
  AgentType,
  BusyBehavior,
  ChatError,
  ChatStatus,
  DynamicTool,
  Json,
  Part,
  ReasoningEffort,
  Retry,
  Role,
  Usage,
} from '@chatd/protocol';

/* Rows as the database holds them, column for column. Presenters turn them into what clients see. */

/** A part as it is stored: the fields that clients see, and those that only the loop reads. */
export type StoredPart = Part & { readonly [internal: string]: Json | undefined };

/** A tool call in the history without a result. `kind` is null for calls that run on the server. */
export interface OpenCall {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly kind: ActionKind | null;
  /** The argument that describes the call best, for lists of chats. */
  readonly detail?: string;
  /** The call waited for a client and has since started: see `begin_tools`. */
  readonly begun?: boolean;
  /** The user's decision on a call that needs approval. */
  readonly decision?: 'allow' | 'deny';
  /** Why the user denied the call, for the model. */
  readonly reason?: string;
}

export type TitleSource = 'first_message' | 'model' | 'user';

export interface ChatRow {
  readonly id: string;
  readonly owner_id: string;
  readonly status: ChatStatus;
  readonly archived: boolean;
  readonly queue_length: number;
  readonly snapshot_version: number;
  readonly history_version: number;
  readonly queue_version: number;
  readonly retry_version: number;
  readonly reset_version: number;
  readonly attempt: number;
  readonly runner_id: string | null;
  readonly worker_id: string | null;
  readonly open_calls: readonly OpenCall[];
  readonly action_deadline: Date | null;
  readonly compaction_requested: boolean;
  readonly retry: Retry | null;
  readonly last_error: ChatError | null;
  /** The last turn was interrupted. Reset when the next one begins. */
  readonly interrupted: boolean;
  readonly queued_for_capacity: boolean;
  /** See `deathsOf`. */
  readonly owner_deaths: number;
  readonly deaths_version: number;
  readonly title: string;
  readonly title_source: TitleSource;
  readonly labels: Readonly<Record<string, string>>;
  readonly pin_order: number;
  readonly plan_mode: boolean;
  readonly model_config_id: string;
  readonly reasoning_effort: ReasoningEffort | null;
  readonly system_prompt: string | null;
  readonly dynamic_tools: readonly DynamicTool[];
  readonly mcp_server_ids: readonly string[];
  readonly workspace_id: string | null;
  /** Of root chats. Subagents belong to the project of their root chat. */
  readonly project_id: string | null;
  /** The trigger that started the chat, or the root chat of a subagent. It may have been deleted. */
  readonly trigger_id: string | null;
  readonly parent_chat_id: string | null;
  readonly root_chat_id: string | null;
  /** Null: not a subagent. */
  readonly agent_type: AgentType | null;
  readonly reply_version: number;
  readonly read_version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly active_at: Date;
  readonly deleted_at: Date | null;
}

export interface MessageRow {
  readonly id: number;
  readonly chat_id: string;
  readonly role: Role;
  readonly revision: number;
  readonly hidden: boolean;
  readonly content: readonly StoredPart[];
  readonly meta: Json;
  readonly created_at: Date;
  readonly created_by: string | null;
  readonly model_config_id: string | null;
  readonly usage: Usage | null;
  readonly cost_micros: number | null;
  readonly runtime_ms: number | null;
  readonly queued_message_id: number | null;
}

export interface QueuedRow {
  readonly id: number;
  readonly chat_id: string;
  readonly position: number;
  readonly busy_behavior: BusyBehavior;
  readonly content: readonly StoredPart[];
  readonly model_config_id: string | null;
  readonly reasoning_effort: ReasoningEffort | null;
  readonly created_by: string | null;
  /** The name of a sender who does not own the chat, for the model. */
  readonly author: string | null;
  readonly created_at: Date;
}

/** A chat under lock, with its queue in order. */
export interface LockedChat extends ChatRow {
  readonly queue: readonly QueuedRow[];
}
