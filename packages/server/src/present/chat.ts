import { type Chat, ChatError, type ChatRole, Retry } from '@chatd/protocol';
import { errorForGuest } from '../chat/guest-error.ts';
import type { ChatRow } from '../chat/row.ts';
import { pick } from './pick.ts';

const ERROR_FIELDS = Object.keys(ChatError.shape) as (keyof ChatError)[];
const RETRY_FIELDS = Object.keys(Retry.shape) as (keyof Retry)[];

export const presentError = (error: ChatError): ChatError => pick(error, ERROR_FIELDS);

/** Replicas of earlier versions record no `retryable`. */
type StoredRetry = Omit<Retry, 'retryable'> & Partial<Pick<Retry, 'retryable'>>;

export const presentRetry = (retry: StoredRetry): Retry => ({
  retryable: true,
  ...pick(retry, RETRY_FIELDS),
});

/** The first call of the turn that is not decided yet. */
function activityOf({ status, open_calls }: ChatRow): Pick<Chat, 'activity'> {
  const call = open_calls.find(({ decision }) => decision === undefined) ?? open_calls[0];
  if (call === undefined || status === 'waiting' || status === 'error') return {};
  const { tool_name, detail, kind } = call;
  return {
    activity: {
      tool_name,
      ...(detail !== undefined && { detail }),
      ...(status === 'requires_action' && kind !== null && { awaits: kind }),
    },
  };
}

/** What someone who does not own a chat is to it. */
export interface GuestView {
  readonly role: 'owner' | ChatRole;
  readonly owner_name: string | null;
  readonly read_version: number;
}

/** For its owner, or as a guest sees it: without what the owner has configured. */
export function presentChat(row: ChatRow, as?: GuestView): Chat {
  const chat = presentOwnChat(row);
  if (as === undefined || as.role === 'owner') return chat;
  const { role, owner_name, read_version } = as;
  const { system_prompt: _, project_id: __, trigger_id: ___, ...shown } = chat;
  return {
    ...shown,
    role,
    ...(owner_name !== null && { owner_name }),
    labels: {},
    pin_order: 0,
    has_unread: row.reply_version > read_version,
    dynamic_tools: role === 'editor' ? chat.dynamic_tools : [],
    mcp_server_ids: [],
    ...(chat.last_error && { last_error: errorForGuest(chat.last_error) }),
  };
}

function presentOwnChat(row: ChatRow): Chat {
  return {
    id: row.id,
    owner_id: row.owner_id,
    title: row.title,
    status: row.status,
    archived: row.archived,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    active_at: row.active_at.toISOString(),
    model_config_id: row.model_config_id,
    reasoning_effort: row.reasoning_effort,
    ...(row.system_prompt !== null && { system_prompt: row.system_prompt }),
    ...(row.workspace_id !== null && { workspace_id: row.workspace_id }),
    ...(row.project_id !== null && { project_id: row.project_id }),
    ...(row.trigger_id !== null && { trigger_id: row.trigger_id }),
    ...(row.parent_chat_id !== null && { parent_chat_id: row.parent_chat_id }),
    ...(row.root_chat_id !== null && { root_chat_id: row.root_chat_id }),
    ...(row.agent_type !== null && { agent_type: row.agent_type }),
    labels: { ...row.labels },
    pin_order: row.pin_order,
    plan_mode: row.plan_mode,
    ...(row.last_error !== null && { last_error: presentError(row.last_error) }),
    interrupted: row.interrupted,
    has_unread: row.reply_version > row.read_version,
    ...activityOf(row),
    dynamic_tools: [...row.dynamic_tools],
    mcp_server_ids: [...row.mcp_server_ids],
    queued_for_capacity: row.queued_for_capacity,
    snapshot_version: row.snapshot_version,
    history_version: row.history_version,
    queue_version: row.queue_version,
  };
}
