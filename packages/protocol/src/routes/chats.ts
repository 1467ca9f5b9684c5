import { z } from 'zod';
import { Chat, ChatStatus, Labels } from '../chat.ts';
import { DynamicTools } from '../dynamic-tool.ts';
import { ANSWERED_CALLS_LIMIT, AwaitedCallId, SerialId, Timestamp, Uuid } from '../ids.ts';
import { Json } from '../json.ts';
import { LabelChanges } from '../label-changes.ts';
import { AmountText, Cursor, Flag, Limit, NextCursor } from '../page.ts';
import { Content } from '../part.ts';
import { ReasoningEffort } from '../reasoning-effort.ts';
import { media, routeWith } from '../route.ts';
import { ListedChat } from '../search-match.ts';
import { ChatCost } from '../usage-report.ts';

const route = routeWith('Chats');
export const ChatParams = z.strictObject({
  chat_id: Uuid.describe('One of your chats, a chat shared with you, or a subagent of one.'),
});

/** A request contains all results at once, so its body can be larger than others. */
const TOOL_RESULTS_BYTES = 4 * 1024 * 1024;

const Title = z.string().trim().min(1).max(200);

const MessageId = SerialId.describe('ID of a message in the chat.');

export const chatRoutes = {
  createChat: route({
    method: 'post',
    path: '/chats',
    summary: 'Create a chat with its first message and start it',
    description:
      'Responds once the chat and its message are stored; the turn runs in the background. Follow it with `streamChat`, or read the chat later. With `Accept: text/event-stream`, the response is a stream of the turn: a `response` event with the chat, then the events of `streamChat`. It ends when the chat is `waiting`, `requires_action` or `error`. Streaming also requires the scope `read`.',
    scope: 'write',
    body: z
      .strictObject({
        content: Content.describe('The first message.'),
        model_config_id: Uuid.optional().describe(
          'Model of the chat, from `listModelConfigs`. Default: the default model.',
        ),
        reasoning_effort: ReasoningEffort.optional().describe(
          'Reasoning effort of the chat. Default: the default of the model config.',
        ),
        system_prompt: z
          .string()
          .max(65_536)
          .optional()
          .describe(
            'System prompt of the chat, appended to the one in the settings. Default: none.',
          ),
        workspace_id: Uuid.optional().describe(
          "One of your workspaces, for the chat's tools. Without one, the agent can create one.",
        ),
        project_id: Uuid.optional().describe(
          'One of your projects. Its model is the default for the chat. Default: none.',
        ),
        labels: Labels.optional().describe('Labels of the chat. Default: none.'),
        mcp_server_ids: z
          .array(Uuid)
          .max(32)
          .optional()
          .describe(
            'Enabled MCP servers of the chat. `[]`: none. Default: servers with `default_on`.',
          ),
        dynamic_tools: DynamicTools.optional().describe(
          'Tools that your program executes. Names must be unique. Default: none.',
        ),
        plan_mode: z
          .boolean()
          .optional()
          .describe("Read-only until the user accepts the agent's plan. Default: false."),
        title: Title.optional().meta({
          description:
            'Title of the chat, which models do not change. Default: the beginning of the message, until a model generates a title.',
          examples: ['Greetings'],
        }),
      })
      .meta({ examples: [{ content: 'Hello!' }] }),
    answers: { 201: Chat },
    streamed: true,
    refusals: [
      'duplicate_tool_name',
      'reserved_tool_name',
      'unknown_model_config',
      'unknown_file',
      'message_too_large',
      'unknown_workspace',
      'unknown_project',
      'unknown_mcp_server',
      'no_model_configured',
    ],
  }),
  listChats: route({
    method: 'get',
    path: '/chats',
    summary: 'List your chats without subagents: pinned chats first, then by latest activity',
    description:
      'Omits deleted chats, and archived chats unless requested. Filters are combined. With `q`, chats with matching titles come first, then chats with matching messages, each by latest activity.',
    scope: 'read',
    query: z.strictObject({
      q: z
        .string()
        .max(1000)
        .optional()
        .meta({
          description:
            'Search in titles and messages, with `"a phrase"`, `-exclusion` and `this or that`. The last word can be a prefix. Includes subagents and, without the filters `label`, `project_id` and `min_cost_micros`, chats of other users that are shared with you. Cannot be combined with `parent_chat_id`.',
          examples: ['database migration'],
        }),
      parent_chat_id: Uuid.optional().describe(
        'Lists the subagents of this chat instead, by latest activity.',
      ),
      archived: Flag.optional().describe(
        'True lists archived chats, false the others. Default: false; with `parent_chat_id`, both.',
      ),
      status: ChatStatus.optional().describe('Status of the chats. Default: any.'),
      label: z
        .string()
        .max(512)
        .regex(/^[^:]+:.*$/s, 'must be name:value')
        .optional()
        .meta({
          description: 'Label of the chats, as `name:value`. The value can contain colons.',
          examples: ['project:shop'],
        }),
      project_id: Uuid.optional().describe(
        'Project of the chats. Without `q`, they are sorted by latest activity only.',
      ),
      model_config_id: Uuid.optional().describe('Model of the chats.'),
      workspace_id: Uuid.optional().describe('Workspace of the chats.'),
      active_after: Timestamp.optional().meta({
        description: 'Earliest `active_at` of the chats, inclusive.',
        examples: ['2026-11-01T00:00:00Z'],
      }),
      active_before: Timestamp.optional().meta({
        description: 'Latest `active_at` of the chats, exclusive.',
        examples: ['2026-12-01T00:00:00Z'],
      }),
      min_cost_micros: AmountText.optional().meta({
        description:
          'Lowest cost of the chats, including their subagents, in millionths of the currency unit.',
        examples: ['500000'],
      }),
      all: Flag.optional().describe('Includes the chats of all users, for admins. Logged.'),
      shared: z
        .enum(['with_me'])
        .optional()
        .describe(
          '`with_me`: lists the chats of other users that are shared with you instead, by latest activity. Cannot be combined with `q`, `parent_chat_id`, `label`, `project_id`, `min_cost_micros` and `all`.',
        ),
      limit: Limit,
      cursor: Cursor,
    }),
    answers: {
      200: z.object({
        chats: z.array(ListedChat).describe('One page of chats.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor', 'admin_required'],
    audit: { action: 'chat.list_all', onlyWith: 'all' },
  }),
  getChat: route({
    method: 'get',
    path: '/chats/{chat_id}',
    summary: 'Get a chat',
    description: 'Read its messages with `listMessages`.',
    scope: 'read',
    access: 'viewer',
    link: true,
    params: ChatParams,
    answers: { 200: Chat },
  }),
  updateChat: route({
    method: 'patch',
    path: '/chats/{chat_id}',
    summary: 'Change or archive a chat',
    description:
      'Omitted fields do not change. Model, reasoning effort, system prompt, plan mode, tools, MCP servers, workspace and project apply from the next turn; title, labels and pin immediately. Only idle chats can be archived; subagents are archived with their root chat.',
    scope: 'write',
    params: ChatParams,
    body: z
      .strictObject({
        title: Title.optional().meta({
          description: 'Title of the chat. Models do not change it afterwards.',
          examples: ['Greetings'],
        }),
        archived: z
          .boolean()
          .optional()
          .describe('Archives or restores the chat and its subagents. Only for root chats.'),
        pin_order: z
          .int()
          .min(0)
          .max(1_000_000)
          .optional()
          .describe('Position among pinned chats, in ascending order. 0 unpins the chat.'),
        labels: LabelChanges.nullable()
          .optional()
          .describe(
            'Labels to set, or to remove with null; other labels stay. Null removes all labels.',
          ),
        workspace_id: Uuid.nullable()
          .optional()
          .describe("One of your workspaces, for the chat's tools. Null: none."),
        project_id: Uuid.nullable()
          .optional()
          .describe('One of your projects. Null: none. Only for root chats.'),
        plan_mode: z
          .boolean()
          .optional()
          .describe("Read-only until the user accepts the agent's plan."),
        model_config_id: Uuid.optional().describe('Model of the chat, from `listModelConfigs`.'),
        reasoning_effort: ReasoningEffort.nullable()
          .optional()
          .describe('Reasoning effort of the chat. Null: the default of the model config.'),
        dynamic_tools: DynamicTools.optional().describe(
          'Tools that your program executes. Replaces the whole list.',
        ),
        system_prompt: z
          .string()
          .max(65_536)
          .nullable()
          .optional()
          .describe('System prompt of the chat, appended to the one in the settings. Null: none.'),
        mcp_server_ids: z
          .array(Uuid)
          .max(32)
          .optional()
          .describe('Enabled MCP servers of the chat. Replaces the whole list. `[]`: none.'),
      })
      .meta({ examples: [{ title: 'Greetings' }] }),
    answers: { 200: Chat },
    refusals: [
      'chat_active',
      'not_a_root_chat',
      'invalid_labels',
      'duplicate_tool_name',
      'reserved_tool_name',
      'unknown_model_config',
      'unknown_workspace',
      'unknown_project',
      'unknown_mcp_server',
    ],
  }),
  deleteChat: route({
    method: 'delete',
    path: '/chats/{chat_id}',
    summary: 'Delete a chat; it can be restored for 24 hours',
    description:
      'Also deletes its subagents. `restoreChat` restores them within 24 hours; then they are purged. Files and workspaces stay, and usage reports keep its usage.',
    scope: 'write',
    params: ChatParams,
    answers: { 204: null },
    refusals: ['chat_active', 'not_a_root_chat'],
    audit: { action: 'chat.delete' },
  }),
  restoreChat: route({
    method: 'post',
    path: '/chats/{chat_id}/restore',
    summary: 'Restore a chat that was deleted in the last 24 hours',
    description: 'Restores its subagents too, in their previous state.',
    scope: 'write',
    params: ChatParams,
    answers: { 200: Chat },
    audit: { action: 'chat.restore' },
  }),
  markChatRead: route({
    method: 'post',
    path: '/chats/{chat_id}/read',
    summary: 'Mark a chat as read up to a message',
    description:
      'Sets `has_unread` to false until the agent writes another message. A message before the current mark has no effect.',
    scope: 'write',
    access: 'viewer',
    params: ChatParams,
    body: z.strictObject({ message_id: MessageId }),
    answers: { 204: null },
    refusals: ['unknown_message'],
  }),
  regenerateTitle: route({
    method: 'post',
    path: '/chats/{chat_id}/title/regenerate',
    summary: 'Generate a new title for a chat',
    description:
      'Responds with the current title. The new title arrives as a change of the chat and also replaces a title set by a user. If the model generates none, the title stays.',
    scope: 'write',
    params: ChatParams,
    answers: { 202: Chat },
  }),
  interruptChat: route({
    method: 'post',
    path: '/chats/{chat_id}/interrupt',
    summary: 'Interrupt the turn; its output so far is kept',
    description:
      'The turn and its subagents stop as soon as possible; until then the status is `interrupting`. In a chat in `requires_action`, the pending calls are canceled and the turn continues. Queued messages still run.',
    scope: 'write',
    access: 'editor',
    params: ChatParams,
    answers: { 200: Chat },
    refusals: ['not_running', 'chat_archived'],
  }),
  submitToolResults: route({
    method: 'post',
    path: '/chats/{chat_id}/tool-results',
    summary: 'Submit the results of all pending dynamic tool calls',
    description:
      'Every call of kind `dynamic` in `action_required` needs exactly one result. The turn continues when no other calls are pending. The calls are canceled after `dynamic_tool_timeout_seconds` (default: 5 minutes).',
    scope: 'write',
    access: 'editor',
    params: ChatParams,
    body: z.strictObject({
      results: z
        .array(
          z.strictObject({
            tool_call_id: AwaitedCallId,
            output: Json.meta({
              description: 'Result for the model.',
              examples: [{ opened: true }],
            }),
            is_error: z
              .boolean()
              .optional()
              .describe(
                'True if the tool failed; `output` then describes the error. Default: false.',
              ),
          }),
        )
        .min(1)
        .max(ANSWERED_CALLS_LIMIT)
        .describe('One result for each pending call, in any order. At most 4 MiB in total.'),
    }),
    bodyBytes: TOOL_RESULTS_BYTES,
    answers: { 204: null },
    refusals: ['not_waiting_for_tools', 'tool_results_mismatch', 'chat_archived'],
  }),
  compactChat: route({
    method: 'post',
    path: '/chats/{chat_id}/compact',
    summary: 'Summarize the history now',
    description:
      'Runs a turn that replaces the earlier history in the prompt by a summary. The messages stay readable. Happens automatically when the context fills up.',
    scope: 'write',
    access: 'editor',
    params: ChatParams,
    answers: { 202: Chat },
    refusals: ['chat_active', 'nothing_to_compact', 'chat_archived'],
  }),
  forkChat: route({
    method: 'post',
    path: '/chats/{chat_id}/fork',
    summary: 'Create a chat from the history up to a message',
    description:
      'The new chat is idle and belongs to you. It has the model, system prompt, labels, tools and MCP servers of the original, but not its queue. With `files`, it has a new workspace. Fails if you can no longer use the model.',
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({
      message_id: SerialId.describe(
        'Last message to copy. Calls without a result are canceled in the copy.',
      ),
      files: z
        .boolean()
        .default(false)
        .describe(
          'Creates a workspace for the new chat, on the same machine and from the same template, with the files as they were at the message. `.git` and what checkpoints leave out come from the template. Requires a workspace with checkpoints. Default: false.',
        ),
    }),
    answers: { 201: Chat },
    refusals: [
      'unknown_message',
      'unknown_model_config',
      'workspaces_disabled',
      'workspace_not_ready',
      'machine_offline',
      'checkpoint_unavailable',
      'quota_exceeded',
    ],
  }),
  getChatCost: route({
    method: 'get',
    path: '/chats/{chat_id}/cost',
    summary: 'Get the cost of a chat and its subagents',
    description:
      'Totals of all model calls of the chat and its subagents: turns, summaries and titles.',
    scope: 'read',
    params: ChatParams,
    answers: { 200: ChatCost },
  }),
  exportChat: route({
    method: 'get',
    path: '/chats/{chat_id}/export',
    summary: 'Export a chat with all its messages',
    description:
      '`json` is one object with `chat` and all `messages`; `markdown` is a readable document. Export subagents separately.',
    scope: 'read',
    access: 'viewer',
    params: ChatParams,
    query: z.strictObject({
      format: z
        .enum(['json', 'markdown'])
        .default('json')
        .describe('`json`: for programs. `markdown`: for reading.'),
    }),
    answers: { 200: media('application/json', 'text/markdown') },
    refusals: ['invalid_query'],
    audit: { action: 'chat.export' },
  }),
};
