import { z } from 'zod';
import { Chat, ChatStatus, Labels } from '../chat.ts';
import { DynamicTools } from '../dynamic-tool.ts';
import { ANSWERED_CALLS_LIMIT, AwaitedCallId, SerialId, Uuid } from '../ids.ts';
import { Json } from '../json.ts';
import { LabelChanges } from '../label-changes.ts';
import { Cursor, Flag, Limit, NextCursor } from '../page.ts';
import { Content } from '../part.ts';
import { ReasoningEffort } from '../reasoning-effort.ts';
import { media, route } from '../route.ts';
import { ListedChat } from '../search-match.ts';
import { ChatCost } from '../usage-report.ts';

const tag = 'Chats';
export const ChatParams = z.strictObject({
  chat_id: Uuid.describe('A chat of yours; subagents are chats, too.'),
});

/** All results come in one request, so its body may be larger than others. */
const TOOL_RESULTS_BYTES = 4 * 1024 * 1024;

const Title = z.string().trim().min(1).max(200);

const MessageId = SerialId.describe('A message of the chat: its `id`.');

export const chatRoutes = {
  createChat: route({
    method: 'post',
    path: '/chats',
    tag,
    summary: 'Create a chat with its first message; it starts to run',
    description:
      'The answer comes as soon as the chat and its message are stored; the turn goes on by itself. Follow it with `streamChat`, or read it later.',
    scope: 'write',
    body: z
      .strictObject({
        content: Content.describe('The first message.'),
        model_config_id: Uuid.optional().describe(
          'The model that answers, one of `listModelConfigs`. The default unless given.',
        ),
        reasoning_effort: ReasoningEffort.optional().describe(
          'How much the model thinks. What its model config says unless given.',
        ),
        system_prompt: z
          .string()
          .max(65_536)
          .optional()
          .describe('Instructions for this chat, behind those of the settings. Default: none.'),
        workspace_id: Uuid.optional().describe(
          'A workspace of yours for its tools to work in. Without one, its agent can make one.',
        ),
        labels: Labels.optional().describe('Names and values of your own. None unless given.'),
        mcp_server_ids: z
          .array(Uuid)
          .max(32)
          .optional()
          .describe(
            'Enabled MCP servers whose tools it gets. `[]`: none. Default: those with `default_on`.',
          ),
        dynamic_tools: DynamicTools.optional().describe(
          'Tools that your program executes, each name once. None unless given.',
        ),
        plan_mode: z
          .boolean()
          .optional()
          .describe('The agent only looks until a plan of its is accepted. False unless given.'),
        title: Title.optional().meta({
          description:
            'Its title, which is kept. Without it, the beginning of the message until a model finds a better one.',
          examples: ['Greetings'],
        }),
      })
      .meta({ examples: [{ content: 'Hello!' }] }),
    answers: { 201: Chat },
    refusals: [
      'duplicate_tool_name',
      'reserved_tool_name',
      'unknown_model_config',
      'unknown_file',
      'message_too_large',
      'unknown_workspace',
      'unknown_mcp_server',
      'no_model_configured',
    ],
  }),
  listChats: route({
    method: 'get',
    path: '/chats',
    tag,
    summary: 'List your chats, without subagents: pinned first, then newest activity',
    description:
      'Deleted chats are left out, and archived ones unless they are asked for. Filters are combined. With `q`, chats whose title matches come first, then those with matching messages; both by newest activity.',
    scope: 'read',
    query: z.strictObject({
      q: z
        .string()
        .max(1000)
        .optional()
        .meta({
          description:
            'Words of titles and messages: `"a phrase"`, `-without`, `this or that`; the last word may be the beginning of one. Subagents are found as well. Not together with `parent_chat_id`.',
          examples: ['database migration'],
        }),
      parent_chat_id: Uuid.optional().describe(
        'The subagents that this chat has started instead, newest activity first.',
      ),
      archived: Flag.optional().describe(
        'Those that are archived, or those that are not. False unless given; with `parent_chat_id`, both.',
      ),
      status: ChatStatus.optional().describe('Those that do this now. Any unless given.'),
      label: z
        .string()
        .max(512)
        .regex(/^[^:]+:.*$/s, 'must be name:value')
        .optional()
        .meta({
          description: 'Those that have this label: `name:value`. The value may hold colons.',
          examples: ['project:shop'],
        }),
      all: Flag.optional().describe(
        'As an admin: the chats of all users. Every such look is logged.',
      ),
      limit: Limit,
      cursor: Cursor,
    }),
    answers: {
      200: z.object({
        chats: z.array(ListedChat).describe('One page of them.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor', 'admin_required'],
  }),
  getChat: route({
    method: 'get',
    path: '/chats/{chat_id}',
    tag,
    summary: 'Get a chat',
    description: 'Its messages are read with `listMessages`.',
    scope: 'read',
    params: ChatParams,
    answers: { 200: Chat },
    refusals: [],
  }),
  updateChat: route({
    method: 'patch',
    path: '/chats/{chat_id}',
    tag,
    summary: 'Change a chat; archiving takes its subagents along',
    description:
      'Fields that are left out stay as they are. Model, effort, system prompt, plan mode, tools, MCP servers and workspace apply from the next turn on; title, labels and pin at once. Archiving needs an idle chat.',
    scope: 'write',
    params: ChatParams,
    body: z
      .strictObject({
        title: Title.optional().meta({
          description: 'Its title. No model changes it from then on.',
          examples: ['Greetings'],
        }),
        archived: z
          .boolean()
          .optional()
          .describe(
            'Puts it away with its subagents, or brings them back. Only a chat without a parent.',
          ),
        pin_order: z
          .int()
          .min(0)
          .max(1_000_000)
          .optional()
          .describe('Pins it; the smallest number is at the top of lists. 0 unpins it.'),
        labels: LabelChanges.nullable()
          .optional()
          .describe('Labels to set, or with null to take away; others stay. Null: none are left.'),
        workspace_id: Uuid.nullable()
          .optional()
          .describe('A workspace of yours for its tools to work in. Null: none.'),
        plan_mode: z
          .boolean()
          .optional()
          .describe('Whether the agent only looks until a plan of its is accepted.'),
        model_config_id: Uuid.optional().describe(
          'The model that answers, one of `listModelConfigs`.',
        ),
        reasoning_effort: ReasoningEffort.nullable()
          .optional()
          .describe('How much the model thinks. Null: what its model config says.'),
        dynamic_tools: DynamicTools.optional().describe(
          'All tools that your program executes: those that are not named are gone.',
        ),
        system_prompt: z
          .string()
          .max(65_536)
          .nullable()
          .optional()
          .describe('Instructions for this chat, behind those of the settings. Null: none.'),
        mcp_server_ids: z
          .array(Uuid)
          .max(32)
          .optional()
          .describe('Enabled MCP servers whose tools it gets, all of them. `[]`: none.'),
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
      'unknown_mcp_server',
    ],
  }),
  deleteChat: route({
    method: 'delete',
    path: '/chats/{chat_id}',
    tag,
    summary: 'Delete a chat; it can be restored for 24 hours',
    description:
      'Its subagents go with it. `restoreChat` brings them back; later they are gone for good. Files and workspaces stay, and what was spent stays in the books.',
    scope: 'write',
    params: ChatParams,
    answers: { 204: null },
    refusals: ['chat_active', 'not_a_root_chat'],
  }),
  restoreChat: route({
    method: 'post',
    path: '/chats/{chat_id}/restore',
    tag,
    summary: 'Bring back a chat that was deleted in the last 24 hours',
    description: 'Its subagents come back with it, in the state that they had.',
    scope: 'write',
    params: ChatParams,
    answers: { 200: Chat },
    refusals: [],
  }),
  markChatRead: route({
    method: 'post',
    path: '/chats/{chat_id}/read',
    tag,
    summary: 'Say up to which message the chat was read',
    description:
      '`has_unread` is false until the agent says something after that message. An earlier one than before changes nothing.',
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({ message_id: MessageId }),
    answers: { 204: null },
    refusals: ['unknown_message'],
  }),
  regenerateTitle: route({
    method: 'post',
    path: '/chats/{chat_id}/title/regenerate',
    tag,
    summary: 'Have a model find another title; watchers are told when there is one',
    description:
      'The answer has the title as it is now. The new one comes as a change of the chat, and replaces also one that a user gave. If the model finds none, the title stays.',
    scope: 'write',
    params: ChatParams,
    answers: { 202: Chat },
    refusals: [],
  }),
  interruptChat: route({
    method: 'post',
    path: '/chats/{chat_id}/interrupt',
    tag,
    summary: 'Stop the turn; what was shown is kept',
    description:
      'The turn ends as soon as it can, with those of its subagents; the chat is `interrupting` until then. A chat that waits for somebody goes on instead: its calls are answered as cancelled. The queue is kept, and goes on.',
    scope: 'write',
    params: ChatParams,
    answers: { 200: Chat },
    refusals: ['not_running', 'chat_archived'],
  }),
  submitToolResults: route({
    method: 'post',
    path: '/chats/{chat_id}/tool-results',
    tag,
    summary: 'Answer all calls of dynamic tools that the chat waits for',
    description:
      'Each call of the kind `dynamic` that `action_required` lists needs exactly one result. When nobody else is waited for, the turn goes on. After `dynamic_tool_timeout_seconds` of the settings (default: 5 minutes) the calls are canceled.',
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({
      results: z
        .array(
          z.strictObject({
            tool_call_id: AwaitedCallId,
            output: Json.meta({
              description: 'What the model is given as the result.',
              examples: [{ opened: true }],
            }),
            is_error: z
              .boolean()
              .optional()
              .describe('The tool failed, and `output` says why. False unless given.'),
          }),
        )
        .min(1)
        .max(ANSWERED_CALLS_LIMIT)
        .describe('One result for each awaited call, in any order. Max 4 MiB together.'),
    }),
    bodyBytes: TOOL_RESULTS_BYTES,
    answers: { 204: null },
    refusals: ['not_waiting_for_tools', 'tool_results_mismatch', 'chat_archived'],
  }),
  compactChat: route({
    method: 'post',
    path: '/chats/{chat_id}/compact',
    tag,
    summary: 'Summarise the history now',
    description:
      'A turn of its own that puts a summary in place of what came before it in the prompt. The messages stay readable. The same happens by itself when the context fills up.',
    scope: 'write',
    params: ChatParams,
    answers: { 202: Chat },
    refusals: ['chat_active', 'nothing_to_compact', 'chat_archived'],
  }),
  forkChat: route({
    method: 'post',
    path: '/chats/{chat_id}/fork',
    tag,
    summary: 'Make a new chat with the history up to a message',
    description:
      'The new chat is yours and idle. It has the model, system prompt, labels, tools and MCP servers of the original, and neither its workspace nor its queue.',
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({
      message_id: SerialId.describe(
        'The last message that is copied. Calls that it leaves open are answered as cancelled.',
      ),
    }),
    answers: { 201: Chat },
    refusals: ['unknown_message'],
  }),
  getChatCost: route({
    method: 'get',
    path: '/chats/{chat_id}/cost',
    tag,
    summary: 'What the chat and its subagents have cost',
    description:
      'Sums over all model calls of the chat and the subagents below it: turns, summaries and titles.',
    scope: 'read',
    params: ChatParams,
    answers: { 200: ChatCost },
    refusals: [],
  }),
  exportChat: route({
    method: 'get',
    path: '/chats/{chat_id}/export',
    tag,
    summary: 'Download the chat with all its messages',
    description:
      '`json` is one object with `chat` and all `messages`; `markdown` is a document to read. Subagents are chats of their own.',
    scope: 'read',
    params: ChatParams,
    query: z.strictObject({
      format: z
        .enum(['json', 'markdown'])
        .default('json')
        .describe('`json`: to be read by programs. `markdown`: by people.'),
    }),
    answers: { 200: media('application/json', 'text/markdown') },
    refusals: ['invalid_query'],
  }),
};
