import { z } from 'zod';
import { AfterIdText, SerialId, SerialIdText, Uuid } from '../ids.ts';
import { Message } from '../message.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { Content } from '../part.ts';
import { BusyBehavior, QueuedMessage } from '../queued-message.ts';
import { ReasoningEffort } from '../reasoning-effort.ts';
import { route } from '../route.ts';
import { ChatParams } from './chats.ts';

const tag = 'Messages';
const QueuedParams = z.strictObject({
  ...ChatParams.shape,
  queued_message_id: SerialIdText.describe('A message that waits: its `id` in the queue.'),
});

const Model = Uuid.optional().describe(
  'The model that answers it, and the chat from then on. The one that the chat has unless given.',
);
const Effort = ReasoningEffort.optional().describe(
  'How much the model thinks, for the chat from then on. As the chat has it unless given.',
);

export const messageRoutes = {
  listMessages: route({
    method: 'get',
    path: '/chats/{chat_id}/messages',
    tag,
    summary: 'Read the history, oldest first, and the queue',
    description:
      'Without `after_id` the newest page, oldest message first. `next_cursor` reads on in the same direction: backward, or forward with `after_id`. History and queue are of the same moment.',
    scope: 'read',
    params: ChatParams,
    query: z.strictObject({
      after_id: AfterIdText.optional().describe(
        'The messages after this one, oldest first; 0: from the first one. With `before_id`, those between both.',
      ),
      before_id: SerialIdText.optional().describe('The newest messages before this one.'),
      limit: Limit,
      cursor: Cursor,
    }),
    answers: {
      200: z.object({
        messages: z.array(Message).describe('One page of them, oldest first.'),
        queued_messages: z.array(QueuedMessage).describe('The whole queue, the next one first.'),
        has_more: z
          .boolean()
          .describe(
            'There are more in the direction that was read: after the page with `after_id`, else before it.',
          ),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  sendMessage: route({
    method: 'post',
    path: '/chats/{chat_id}/messages',
    tag,
    summary: 'Send a message; a busy chat queues it, is steered by it, or is interrupted',
    description:
      'A chat that is idle begins a turn: 201, the message is in the history. A chat that is busy keeps it in its queue: 202. A chat in `error` goes on with its queue first.',
    scope: 'write',
    params: ChatParams,
    body: z
      .strictObject({
        content: Content.describe('What to say.'),
        busy_behavior: BusyBehavior.default('queue').describe(
          'What it does to a chat that is busy.',
        ),
        model_config_id: Model,
        reasoning_effort: Effort,
      })
      .meta({ examples: [{ content: 'Hello!' }] }),
    answers: {
      201: z.object({
        queued: z.literal(false).describe('It is in the history, and a turn has begun.'),
        message: Message.describe('The message as it was committed.'),
      }),
      202: z.object({
        queued: z.literal(true).describe('It waits in the queue.'),
        queued_message: QueuedMessage.describe('The message as it waits.'),
      }),
    },
    refusals: [
      'unknown_model_config',
      'unknown_file',
      'message_too_large',
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
    description:
      'The message keeps its id. The turn that is under way is stopped, the queue is cleared. What was spent on what is dropped stays in the books. Streams say `history_reset`.',
    scope: 'write',
    params: z.strictObject({
      ...ChatParams.shape,
      message_id: SerialIdText.describe('A message of the user: its `id`.'),
    }),
    body: z
      .strictObject({
        content: Content.describe('What it says instead, as a whole.'),
        model_config_id: Model,
        reasoning_effort: Effort,
      })
      .meta({ examples: [{ content: 'Hello!' }] }),
    answers: {
      200: z.object({
        message: Message.describe('The message after the edit.'),
        deleted_message_ids: z
          .array(SerialId)
          .describe('The messages after it, which are gone. Empty if there were none.'),
      }),
    },
    refusals: [
      'unknown_model_config',
      'unknown_file',
      'message_too_large',
      'not_a_user_message',
      'chat_archived',
    ],
  }),
  updateQueuedMessage: route({
    method: 'patch',
    path: '/chats/{chat_id}/queue/{queued_message_id}',
    tag,
    summary: 'Change a message that waits in the queue, or its place',
    description:
      'What is left out stays as it is. A message that has joined the history meanwhile is not found.',
    scope: 'write',
    params: QueuedParams,
    body: z.strictObject({
      content: Content.optional().describe('What it says instead, as a whole.'),
      position: z
        .int()
        .min(0)
        .optional()
        .describe('Its place in the queue; 0 is next. Beyond the end is the end.'),
      busy_behavior: z
        .enum(['queue', 'steer'])
        .optional()
        .describe(
          '`queue`: it waits until the turn is over. `steer`: it joins before the next step, and goes before those that wait. To interrupt, promote it.',
        ),
    }),
    answers: { 200: QueuedMessage },
    refusals: ['unknown_file', 'message_too_large', 'chat_archived'],
  }),
  deleteQueuedMessage: route({
    method: 'delete',
    path: '/chats/{chat_id}/queue/{queued_message_id}',
    tag,
    summary: 'Take a message out of the queue',
    description: 'A message that has joined the history meanwhile is not found.',
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
    description:
      'What the turn has said is kept. Of a chat in `requires_action`, the calls that wait are cancelled.',
    scope: 'write',
    params: QueuedParams,
    answers: { 202: null },
    refusals: ['chat_archived'],
  }),
};
