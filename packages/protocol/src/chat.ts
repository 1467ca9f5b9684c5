import { z } from 'zod';
import { ChatError } from './chat-error.ts';
import { DynamicTool } from './dynamic-tool.ts';
import { Timestamp, Uuid } from './ids.ts';
import { ReasoningEffort } from './reasoning-effort.ts';

/** `waiting` is idle; `interrupting` is a turn that was told to stop and has not yet. */
export const ChatStatus = z.enum([
  'waiting',
  'running',
  'interrupting',
  'requires_action',
  'error',
]);
export type ChatStatus = z.infer<typeof ChatStatus>;

/** What kind of subagent a chat is: `explore` only looks, `computer` uses a desktop, `general` may do all that its parent may. */
export const AgentType = z.enum(['general', 'explore', 'computer']);
export type AgentType = z.infer<typeof AgentType>;

export const Labels = z
  .record(
    z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9._/-]{0,62}$/, 'is not a legal label name'),
    z.string().max(256),
  )
  .refine((labels) => Object.keys(labels).length <= 50, 'must not be more than 50')
  .meta({ id: 'Labels' });
export type Labels = z.infer<typeof Labels>;

const version = z.int().nonnegative();

export const Chat = z
  .object({
    id: Uuid,
    owner_id: Uuid,
    title: z.string(),
    status: ChatStatus,
    archived: z.boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
    /** When a turn last began or ended: the order of lists. */
    active_at: Timestamp,
    model_config_id: Uuid,
    reasoning_effort: ReasoningEffort.nullable(),
    system_prompt: z.string().optional(),
    workspace_id: Uuid.optional(),
    parent_chat_id: Uuid.optional(),
    root_chat_id: Uuid.optional(),
    agent_type: AgentType.optional(),
    labels: z.record(z.string(), z.string()),
    /** 0 is not pinned; pinned chats come first, in this order. */
    pin_order: z.int().nonnegative(),
    plan_mode: z.boolean(),
    last_error: ChatError.optional(),
    /** The last turn was stopped before its end; what it had said is kept. */
    interrupted: z.boolean(),
    has_unread: z.boolean(),
    dynamic_tools: z.array(DynamicTool),
    mcp_server_ids: z.array(Uuid),
    queued_for_capacity: z.boolean(),
    snapshot_version: version,
    history_version: version,
    queue_version: version,
  })
  .meta({ id: 'Chat' });
export type Chat = z.infer<typeof Chat>;
