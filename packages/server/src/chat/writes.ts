import type { BusyBehavior, ReasoningEffort, Role, Usage } from '@chatd/protocol';
import type { Json } from '@chatd/protocol';
import type { ChatRow, StoredPart } from './row.ts';

/** A message to append to the history. */
export interface NewMessage {
  readonly role: Role;
  readonly content: readonly StoredPart[];
  readonly hidden?: boolean;
  readonly meta?: Json;
  readonly created_by?: string | null;
  readonly model_config_id?: string | null;
  readonly usage?: Usage;
  readonly cost_micros?: number | null;
  readonly runtime_ms?: number;
  readonly queued_message_id?: number;
}

/** A message to add to the queue. */
export interface NewQueued {
  readonly busy_behavior: BusyBehavior;
  readonly content: readonly StoredPart[];
  readonly model_config_id: string | null;
  readonly reasoning_effort: ReasoningEffort | null;
  readonly created_by: string | null;
  /** The name of a sender who does not own the chat, for the model. */
  readonly author?: string | null;
}

/** The purpose of a model call, or `tools`: the tools of one step. */
export type CallKind = 'turn' | 'summary' | 'title' | 'tools';

/** One row of model_calls. Unknown usage counts as 0; an unknown cost is null. */
export interface ModelCall {
  readonly kind: CallKind;
  readonly model_config_id: string;
  readonly usage: Usage;
  readonly cost_micros: number | null;
  readonly runtime_ms: number;
}

/** The attempt that wrote a message. A commit whose response was lost is found by it. */
export interface Episode {
  readonly runner_id: string;
  readonly history_version: number;
  readonly attempt: number;
}

/** The new order of the queue: ids of rows that stay, and at most one new entry. */
export type QueueOrder = readonly (number | NewQueued)[];

/** Columns that a transition may set. The transition executor sets versions, attempt and times. */
export type ChatPatch = Partial<
  Pick<
    ChatRow,
    | 'status'
    | 'archived'
    | 'runner_id'
    | 'worker_id'
    | 'open_calls'
    | 'compaction_requested'
    | 'retry'
    | 'last_error'
    | 'interrupted'
    | 'queued_for_capacity'
    | 'model_config_id'
    | 'reasoning_effort'
  >
>;

/** Columns that only `update` sets. */
export type ChatProperties = Partial<
  Pick<
    ChatRow,
    | 'title'
    | 'title_source'
    | 'labels'
    | 'pin_order'
    | 'plan_mode'
    | 'model_config_id'
    | 'reasoning_effort'
    | 'dynamic_tools'
    | 'workspace_id'
    | 'project_id'
    | 'system_prompt'
    | 'mcp_server_ids'
    | 'read_version'
  >
>;

/** A message as of a revision, because an edited message keeps its id. Both 0: the beginning of the history. */
export interface HistoryPoint {
  readonly id: number;
  readonly revision: number;
}

export interface Branch {
  readonly after: HistoryPoint;
  /** The first message of the new version. It takes the id of the message that it replaces. */
  readonly edit?: { readonly message_id: number; readonly message: NewMessage };
  /** The stored version that becomes the history. */
  readonly restore?: number;
}

/** Everything that one transition writes. Only the transition executor performs it. */
export interface Writes {
  readonly chat?: ChatPatch;
  readonly properties?: ChatProperties;
  /** Appended to the history, in order. */
  readonly messages?: readonly NewMessage[];
  /** Moves the messages after a point to a stored version. */
  readonly branch?: Branch;
  /** The queue after the transition. Rows that it does not list are deleted. Absent: unchanged. */
  readonly queue?: QueueOrder;
  readonly queuedContent?: {
    readonly id: number;
    readonly content: readonly StoredPart[] | null;
    readonly busy_behavior: BusyBehavior;
    /** Of the new content. */
    readonly created_by?: string | null;
    readonly author?: string | null;
  };
  readonly call?: ModelCall;
  readonly episode?: Episode;
  /** Default: 0 if the history changes, else unchanged. */
  readonly attempt?: number;
  /** A turn begins or ends, which counts as activity. */
  readonly active?: boolean;
  /** The time that clients have to answer, from now. Absent: unchanged. Null: no deadline. */
  readonly actionTimeoutMs?: number | null;
  readonly deleted?: boolean;
}
