import { z } from 'zod';
import { AfterIdText, SerialId, SerialIdText, Uuid } from '../ids.ts';
import { Message } from '../message.ts';
import { Limit } from '../page.ts';
import { Content } from '../part.ts';
import { BusyBehavior, QueuedMessage } from '../queued-message.ts';
import { ReasoningEffort } from '../reasoning-effort.ts';
import { route } from '../route.ts';
import { ChatParams } from './chats.ts';

const tag = 'Messages';
const QueuedParams = z.strictObject({ chat_id: Uuid, queued_message_id: SerialIdText });

export const messageRoutes = {
  listMessages: route({
    method: 'get',
    path: '/chats/{chat_id}/messages',
    tag,
    summary: 'Read the history, oldest first, and the queue',
    scope: 'read',
    params: ChatParams,
    query: z.strictObject({
      after_id: AfterIdText.optional(),
      before_id: SerialIdText.optional(),
      limit: Limit,
    }),
    answers: {
      200: z.object({
        messages: z.array(Message),
        queued_messages: z.array(QueuedMessage),
        has_more: z.boolean(),
      }),
    },
    refusals: ['invalid_query'],
  }),
  sendMessage: route({
    method: 'post',
    path: '/chats/{chat_id}/messages',
    tag,
    summary: 'Send a message; a busy chat queues it, is steered by it, or is interrupted',
    scope: 'write',
    params: ChatParams,
    body: z.strictObject({
      content: Content,
      busy_behavior: BusyBehavior.default('queue'),
      model_config_id: Uuid.optional(),
      reasoning_effort: ReasoningEffort.optional(),
    }),
    answers: {
      201: z.object({ queued: z.literal(false), message: Message }),
      202: z.object({ queued: z.literal(true), queued_message: QueuedMessage }),
    },
    refusals: [
      'invalid_content',
      'unknown_model_config',
      'unknown_file',
      'chat_archived',
      'queue_full',
    ],
  }),
  editMessage: route({
    method: 'patch',
    path: '/chats/{chat_id}/messages/{message_id}',
    tag,
    summary:
      'Edit a message of the user; all that came after it is dropped and the chat runs again',
    scope: 'write',
    params: z.strictObject({ chat_id: Uuid, message_id: SerialIdText }),
    body: z.strictObject({
      content: Content,
      model_config_id: Uuid.optional(),
      reasoning_effort: ReasoningEffort.optional(),
    }),
    answers: { 200: z.object({ message: Message, deleted_message_ids: z.array(SerialId) }) },
    refusals: [
      'invalid_content',
      'unknown_model_config',
      'unknown_file',
      'not_a_user_message',
      'chat_archived',
    ],
  }),
  updateQueuedMessage: route({
    method: 'patch',
    path: '/chats/{chat_id}/queue/{queued_message_id}',
    tag,
    summary: 'Change a message that waits in the queue, or its place',
    scope: 'write',
    params: QueuedParams,
    body: z.strictObject({
      content: Content.optional(),
      position: z.int().min(0).optional().describe('0 is next'),
      busy_behavior: z.enum(['queue', 'steer']).optional(),
    }),
    answers: { 200: QueuedMessage },
    refusals: ['invalid_content', 'unknown_file', 'chat_archived'],
  }),
  deleteQueuedMessage: route({
    method: 'delete',
    path: '/chats/{chat_id}/queue/{queued_message_id}',
    tag,
    summary: 'Take a message out of the queue',
    scope: 'write',
    params: QueuedParams,
    answers: { 204: null },
    refusals: ['chat_archived'],
  }),
  promoteQueuedMessage: route({
    method: 'post',
    path: '/chats/{chat_id}/queue/{queued_message_id}/promote',
    tag,
    summary: 'Run a queued message now; a running turn is interrupted',
    scope: 'write',
    params: QueuedParams,
    answers: { 202: null },
    refusals: ['chat_archived'],
  }),
};
