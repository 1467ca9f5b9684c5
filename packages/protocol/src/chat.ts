import { z } from 'zod';
import { ChatError } from './chat-error.ts';
import { DynamicTool } from './dynamic-tool.ts';
import { enumeration } from './enumeration.ts';
import { Timestamp, Uuid } from './ids.ts';
import { ReasoningEffort } from './reasoning-effort.ts';

export const ChatStatus = enumeration('ChatStatus', 'What a chat does.', {
  waiting: 'idle: it waits for a message',
  running: 'a turn is under way, or waits for room (`queued_for_capacity`)',
  interrupting: 'the turn was told to stop, and has not yet',
  requires_action:
    'the turn waits for somebody: tool results of a client, an approval, an answer. `action_required` of the stream says for what',
  error: 'the turn failed, `last_error` says why. The next message goes on',
});
export type ChatStatus = z.infer<typeof ChatStatus>;

export const AgentType = enumeration('AgentType', 'What kind of subagent a chat is.', {
  general: 'may do all that its parent may',
  explore: 'only looks: it has the tools that change nothing',
  computer: 'uses the desktop of the workspace, and its files and commands',
});
export type AgentType = z.infer<typeof AgentType>;

export const Labels = z
  .record(
    z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9._/-]{0,62}$/, 'is not a legal label name'),
    z.string().max(256),
  )
  .refine((labels) => Object.keys(labels).length <= 50, 'must not be more than 50')
  .meta({
    id: 'Labels',
    description:
      'Names and values of your own, by which chats are found again (`label=name:value`). At most 50. A name has 1 to 63 letters, digits, `.`, `_`, `/` or `-` and begins with a letter or digit; a value has at most 256 characters.',
    examples: [{ project: 'shop' }],
  });
export type Labels = z.infer<typeof Labels>;

const version = z.int().nonnegative();

export const Chat = z
  .object({
    id: Uuid.describe(
      'Names the chat in paths. A UUIDv7: ids sort by the time at which chats were made.',
    ),
    owner_id: Uuid.describe(
      'The user whose chat it is. To all others but admins who ask for all it does not exist.',
    ),
    title: z
      .string()
      .describe(
        'The beginning of the first message until a model has found a better one, after the first turn. One that a user gave is only changed by `updateChat` and `regenerateTitle`.',
      ),
    status: ChatStatus.describe('What the chat does now. Archiving does not change it.'),
    archived: z
      .boolean()
      .describe(
        'Put away: lists leave it out unless they ask for `archived`, and it takes no messages.',
      ),
    created_at: Timestamp.describe('When the chat was made.'),
    updated_at: Timestamp.describe(
      'When anything of the chat last changed: each step of a turn does that.',
    ),
    active_at: Timestamp.describe(
      'When a turn last began, ended or stopped to wait for somebody: the order of lists.',
    ),
    model_config_id: Uuid.describe(
      'The model that answers. A message that names another one changes it.',
    ),
    reasoning_effort: ReasoningEffort.nullable().describe(
      'How much the model thinks. Null: what its model config says. A message that names one changes it.',
    ),
    system_prompt: z
      .string()
      .optional()
      .describe('Instructions of this chat, behind those of the settings. Absent: none.'),
    workspace_id: Uuid.optional().describe(
      'The workspace that its tools work in; its agent may have made it. Absent: none, or for a subagent that of its root.',
    ),
    parent_chat_id: Uuid.optional().describe(
      'Of a subagent, the chat that started it. Absent in a chat of a user.',
    ),
    root_chat_id: Uuid.optional().describe(
      'Of a subagent, the chat of a user that its family begins with. Absent in that chat itself.',
    ),
    agent_type: AgentType.optional().describe(
      'Of a subagent, its kind. Absent in a chat of a user.',
    ),
    labels: z.record(z.string(), z.string()).meta({
      description: 'Names and values that clients gave it; `{}` without.',
      examples: [{ project: 'shop' }],
    }),
    pin_order: z
      .int()
      .nonnegative()
      .describe('0: not pinned. Pinned chats come first in lists, the smallest number at the top.'),
    plan_mode: z
      .boolean()
      .describe(
        'The agent looks and changes nothing until a plan of its is accepted, which ends it.',
      ),
    last_error: ChatError.optional().describe(
      'Why the last turn failed. Absent unless the status is `error`; the next turn clears it.',
    ),
    interrupted: z
      .boolean()
      .describe(
        'The last turn was stopped before its end; what it had said is kept. False again when the next one begins.',
      ),
    has_unread: z
      .boolean()
      .describe('The agent has said something since the message that `markChatRead` last named.'),
    dynamic_tools: z
      .array(DynamicTool)
      .describe('Tools that the program of the client executes. Empty if there are none.'),
    mcp_server_ids: z
      .array(Uuid)
      .describe(
        'MCP servers whose tools it has. Servers that were disabled or deleted since then are skipped.',
      ),
    queued_for_capacity: z
      .boolean()
      .describe(
        'It should run and waits for room: as many chats run as the settings or the servers allow.',
      ),
    snapshot_version: version.describe(
      'Grows by 1 with every change of the chat: of two answers, the larger is the newer.',
    ),
    history_version: version.describe(
      'The `snapshot_version` of the last change of the messages. Live parts of the stream name the one that they belong to.',
    ),
    queue_version: version.describe(
      'The `snapshot_version` of the last change of the queue; 0: never.',
    ),
  })
  .meta({ id: 'Chat', description: 'A conversation, without its messages and its queue.' });
export type Chat = z.infer<typeof Chat>;
