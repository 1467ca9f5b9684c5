import { z } from 'zod';
import { ActionKind } from './action-kind.ts';
import { ChatError } from './chat-error.ts';
import { DynamicTool } from './dynamic-tool.ts';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';
import { ReasoningEffort } from './reasoning-effort.ts';
import { ChatRole } from './sharing.ts';

export const ChatStatus = enumeration('ChatStatus', 'Status of a chat.', {
  waiting: 'idle, until the next message',
  running: 'a turn is running, or waits for capacity (`queued_for_capacity`)',
  interrupting: 'the turn was asked to stop and has not stopped yet',
  requires_action:
    'the turn waits for tool results from a client, an approval or an answer. The `action_required` event lists the calls',
  error: 'the turn failed; see `last_error`. The next message continues the chat',
});
export type ChatStatus = z.infer<typeof ChatStatus>;

export const AgentType = enumeration('AgentType', 'Type of a subagent.', {
  general: 'can do everything its parent can',
  explore: 'read-only tools',
  computer: 'uses the desktop, files and commands of the workspace',
});
export type AgentType = z.infer<typeof AgentType>;

export const Labels = z
  .record(
    z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9._/-]{0,62}$/, 'is not a valid label name'),
    z.string().max(256),
  )
  .refine((labels) => Object.keys(labels).length <= 50, 'must have at most 50 labels')
  .meta({
    id: 'Labels',
    description:
      'Client-defined names and values. Find chats with `label=name:value`. At most 50. A name has 1 to 63 letters, digits, `.`, `_`, `/` or `-` and starts with a letter or digit. A value has at most 256 characters.',
    examples: [{ project: 'shop' }],
  });
export type Labels = z.infer<typeof Labels>;

export const ChatActivity = z
  .object({
    tool_name: z.string().meta({ description: 'Name of the called tool.', examples: ['execute'] }),
    detail: z
      .string()
      .optional()
      .meta({
        description:
          'The argument that describes the call best, such as the command, on one line. At most 80 characters. Absent: none.',
        examples: ['npm test'],
      }),
    awaits: ActionKind.optional().describe(
      'Who must resolve the call. Present only if the status is `requires_action`.',
    ),
  })
  .meta({ id: 'ChatActivity', description: 'A tool call of the current turn.' });
export type ChatActivity = z.infer<typeof ChatActivity>;

const version = z.int().nonnegative();

export const Chat = z
  .object({
    id: Uuid.describe('ID of the chat. A UUIDv7, so IDs sort by creation time.'),
    owner_id: Uuid.describe(
      'Owner of the chat. Other users see the chat only if it is shared with them, except admins who list all chats.',
    ),
    role: ChatRole.optional().describe(
      'Your role, if the chat of another user is shared with you. Absent: you own the chat, or list all chats as an admin.',
    ),
    owner_name: z.string().optional().describe('User name of the owner. Present with `role`.'),
    title: z
      .string()
      .describe(
        'Title of the chat. The beginning of the first message, until a model generates a title after the first turn. A title set by a user changes only with `updateChat` and `regenerateTitle`.',
      ),
    status: ChatStatus.describe('Status of the chat. Independent of `archived`.'),
    archived: z
      .boolean()
      .describe(
        'True if the chat is archived: lists omit it unless you set `archived`, and it accepts no messages.',
      ),
    created_at: Timestamp.describe('Creation time.'),
    updated_at: Timestamp.describe(
      'Time of the last change to the chat. Every step of a turn is a change.',
    ),
    active_at: Timestamp.describe(
      'Time when a turn last started, ended or began to wait for an action. Lists are sorted by it.',
    ),
    model_config_id: Uuid.describe('Model of the chat. A message can change it.'),
    reasoning_effort: ReasoningEffort.nullable().describe(
      'Reasoning effort of the chat. Null: the default of the model config. A message can change it.',
    ),
    system_prompt: z
      .string()
      .optional()
      .describe('System prompt of the chat, appended to the one in the settings. Absent: none.'),
    workspace_id: Uuid.optional().describe(
      "Workspace that the chat's tools work in. The agent can create it. Absent: none, or for a subagent that of its root chat.",
    ),
    project_id: Uuid.optional().describe(
      'Project of the chat. Absent: none, or for a subagent that of its root chat.',
    ),
    trigger_id: Uuid.optional().describe(
      'Trigger that started the chat. It may have been deleted. Absent: none.',
    ),
    parent_chat_id: Uuid.optional().describe(
      'Chat that started this subagent. Absent in root chats.',
    ),
    root_chat_id: Uuid.optional().describe('Root chat of this subagent. Absent in root chats.'),
    agent_type: AgentType.optional().describe('Type of this subagent. Absent in root chats.'),
    labels: z.record(z.string(), z.string()).meta({
      description: 'Labels of the chat. Empty if it has none.',
      examples: [{ project: 'shop' }],
    }),
    pin_order: z
      .int()
      .nonnegative()
      .describe(
        'Position among pinned chats, which lists show first in ascending order. 0: not pinned.',
      ),
    plan_mode: z
      .boolean()
      .describe("Read-only until the user accepts the agent's plan, which ends plan mode."),
    last_error: ChatError.optional().describe(
      'Why the last turn failed. Present only if the status is `error`; the next turn clears it.',
    ),
    interrupted: z
      .boolean()
      .describe(
        'True if the last turn was stopped early. Its output so far is kept. The next turn clears it.',
      ),
    has_unread: z
      .boolean()
      .describe(
        'True if the agent has written messages, or the turn has failed, since `markChatRead`.',
      ),
    activity: ChatActivity.optional().describe(
      'The first tool call that runs or waits for an action. Absent: none.',
    ),
    dynamic_tools: z
      .array(DynamicTool)
      .describe('Tools that a client executes. Empty if there are none.'),
    mcp_server_ids: z
      .array(Uuid)
      .describe('MCP servers of the chat. Servers that are disabled or deleted are skipped.'),
    queued_for_capacity: z
      .boolean()
      .describe(
        'True if the chat is ready to run and waits because a concurrency limit is reached.',
      ),
    snapshot_version: version.describe(
      'Version of the chat. Increases with every change: of two responses, the one with the larger value is newer.',
    ),
    history_version: version.describe(
      '`snapshot_version` of the last change to the messages. Live parts in the stream carry the value they belong to.',
    ),
    queue_version: version.describe(
      '`snapshot_version` of the last change to the queue. 0: never changed.',
    ),
  })
  .meta({
    id: 'Chat',
    description:
      'A chat, without its messages and queue. If it is shared with you, it has no system prompt, project, trigger, labels, pin or MCP servers, and dynamic tools only for editors.',
  });
export type Chat = z.infer<typeof Chat>;
