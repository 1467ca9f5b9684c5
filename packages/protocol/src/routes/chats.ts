import { z } from 'zod';
import { Chat, ChatStatus, Labels } from '../chat.ts';
import { DynamicTools } from '../dynamic-tool.ts';
import { SerialId, Uuid } from '../ids.ts';
import { Json } from '../json.ts';
import { LabelChanges } from '../label-changes.ts';
import { Cursor, Flag, Limit, NextCursor } from '../page.ts';
import { Content } from '../part.ts';
import { ReasoningEffort } from '../reasoning-effort.ts';
import { media, route } from '../route.ts';
import { ChatCost } from '../usage-report.ts';

const tag = 'Chats';
export const ChatParams = z.strictObject({ chat_id: Uuid });

const Title = z.string().trim().min(1).max(200);

export const chatRoutes = {
  createChat: route({
    method: 'post',
    path: '/chats',
    tag,
    summary: 'Create a chat with its first message; it starts to run',
    scope: 'write',
    body: z.strictObject({
      content: Content,
      model_config_id: Uuid.optional(),
      reasoning_effort: ReasoningEffort.optional(),
      system_prompt: z.string().max(65_536).optional(),
      workspace_id: Uuid.optional(),
      labels: Labels.optional(),
      mcp_server_ids: z.array(Uuid).max(32).optional(),
      dynamic_tools: DynamicTools.optional(),
      plan_mode: z.boolean().optional(),
      title: Title.optional(),
    }),
    answers: { 201: Chat },
    refusals: [
      'invalid_content',
      'invalid_labels',
      'duplicate_tool_name',
      'unknown_model_config',
      'unknown_file',
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
    scope: 'read',
    query: z.strictObject({
      q: z
        .string()
        .max(1000)
        .optional()
        .describe('Words of titles and messages; subagents are found as well'),
      parent_chat_id: Uuid.optional().describe(
        'The subagents of this chat instead, newest activity first',
      ),
      archived: Flag.optional(),
      status: ChatStatus.optional(),
      label: z
        .string()
        .max(512)
        .regex(/^[^:]+:.*$/s, 'must be name:value')
        .optional(),
      all: Flag.optional().describe(
        'As an admin: the chats of all users. Every such look is logged.',
      ),
      limit: Limit,
      cursor: Cursor.optional(),
    }),
    answers: { 200: z.object({ chats: z.array(Chat), next_cursor: NextCursor }) },
    refusals: ['invalid_query', 'invalid_cursor', 'admin_required'],
  }),
  getChat: route({
    method: 'get',
    path: '/chats/{chat_id}',
    tag,
    summary: 'Get a chat',
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
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({
      title: Title.optional(),
      archived: z.boolean().optional(),
      pin_order: z.int().min(0).max(1_000_000).optional(),
      labels: LabelChanges.nullable()
        .optional()
        .describe('Labels to set, or with null to take away; others stay. Null: none are left.'),
      workspace_id: Uuid.nullable().optional(),
      plan_mode: z.boolean().optional(),
      model_config_id: Uuid.optional(),
      reasoning_effort: ReasoningEffort.nullable().optional(),
      dynamic_tools: DynamicTools.optional(),
    }),
    answers: { 200: Chat },
    refusals: [
      'chat_active',
      'not_a_root_chat',
      'invalid_labels',
      'duplicate_tool_name',
      'unknown_model_config',
      'unknown_workspace',
    ],
  }),
  deleteChat: route({
    method: 'delete',
    path: '/chats/{chat_id}',
    tag,
    summary: 'Delete a chat; it can be restored for 24 hours',
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
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({ message_id: SerialId }),
    answers: { 204: null },
    refusals: ['unknown_message'],
  }),
  regenerateTitle: route({
    method: 'post',
    path: '/chats/{chat_id}/title/regenerate',
    tag,
    summary: 'Have a model find another title; watchers are told when there is one',
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
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({
      results: z
        .array(
          z.strictObject({
            tool_call_id: z.string().min(1).max(256),
            output: Json,
            is_error: z.boolean().optional(),
          }),
        )
        .min(1)
        .max(256),
    }),
    answers: { 204: null },
    refusals: ['not_waiting_for_tools', 'tool_results_mismatch', 'chat_archived'],
  }),
  compactChat: route({
    method: 'post',
    path: '/chats/{chat_id}/compact',
    tag,
    summary: 'Summarise the history now',
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
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({ message_id: SerialId }),
    answers: { 201: Chat },
    refusals: ['unknown_message'],
  }),
  getChatCost: route({
    method: 'get',
    path: '/chats/{chat_id}/cost',
    tag,
    summary: 'What the chat and its subagents have cost',
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
    scope: 'read',
    params: ChatParams,
    query: z.strictObject({ format: z.enum(['json', 'markdown']).default('json') }),
    answers: { 200: media('application/json', 'text/markdown') },
    refusals: ['invalid_query'],
  }),
};
