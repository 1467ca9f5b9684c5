import { z } from 'zod';
import { AfterIdText, SerialId, SerialIdText, Uuid } from '../ids.ts';
import { Message } from '../message.ts';
import { Cursor, Limit, NextCursor, NoNextCursor } from '../page.ts';
import { Content } from '../part.ts';
import { BusyBehavior, QueuedMessage } from '../queued-message.ts';
import { ReasoningEffort } from '../reasoning-effort.ts';
import { routeWith } from '../route.ts';
import { Chat } from '../chat.ts';
import { Branch } from '../version.ts';
import { ChatParams } from './chats.ts';

const route = routeWith('Messages');
const QueuedParams = z.strictObject({
  ...ChatParams.shape,
  queued_message_id: SerialIdText.describe('ID of a queued message.'),
});

const Model = Uuid.optional().describe(
  'Model for this message and the chat from then on. Default: the model of the chat.',
);
const Effort = ReasoningEffort.optional().describe(
  'Reasoning effort for this message and the chat from then on. Default: the effort of the chat.',
);

export const messageRoutes = {
  listMessages: route({
    method: 'get',
    path: '/chats/{chat_id}/messages',
    summary: 'List the messages and the queue of a chat',
    description:
      'Without `after_id`, returns the newest page, oldest message first. `next_cursor` continues in the same direction: backward, or forward with `after_id`. Messages and queue are from the same snapshot.',
    scope: 'read',
    access: 'viewer',
    link: true,
    params: ChatParams,
    query: z.strictObject({
      after_id: AfterIdText.optional().describe(
        'Returns messages after this one, oldest first. 0: from the beginning. With `before_id`, the messages in between.',
      ),
      before_id: SerialIdText.optional().describe('Returns the newest messages before this one.'),
      limit: Limit,
      cursor: Cursor,
    }),
    answers: {
      200: z.object({
        messages: z.array(Message).describe('One page of messages, oldest first.'),
        queued_messages: z.array(QueuedMessage).describe('The complete queue, next message first.'),
        has_more: z
          .boolean()
          .describe(
            'True if there are more messages: after the page with `after_id`, else before it.',
          ),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_query', 'invalid_cursor'],
  }),
  sendMessage: route({
    method: 'post',
    path: '/chats/{chat_id}/messages',
    summary: 'Send a message; a busy chat queues it, steers the turn or interrupts it',
    description:
      'An idle chat starts a turn and responds with 201. A busy chat queues the message and responds with 202. A chat in `error` processes its queue first. With `Accept: text/event-stream`, the response is a stream of the turn: a `response` event, then the events of `streamChat` after the message, or after the newest message if it is queued. It ends when the chat is `waiting`, `requires_action` or `error`. Streaming also requires the scope `read`.',
    scope: 'write',
    access: 'editor',
    params: ChatParams,
    body: z
      .strictObject({
        content: Content.describe('Content of the message.'),
        busy_behavior: BusyBehavior.default('queue').describe(
          'What the message does if the chat is busy.',
        ),
        model_config_id: Model,
        reasoning_effort: Effort,
      })
      .meta({ examples: [{ content: 'Hello!' }] }),
    answers: {
      201: z.object({
        queued: z.literal(false).describe('The message is in the history, and a turn has started.'),
        message: Message.describe('The committed message.'),
      }),
      202: z.object({
        queued: z.literal(true).describe('The message is in the queue.'),
        queued_message: QueuedMessage.describe('The queued message.'),
      }),
    },
    streamed: true,
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
    summary: 'Edit a user message and run the chat again from there',
    description:
      'The message keeps its ID. The old message and all later ones remain as a version of the chat: see `listVersions`. A running turn is stopped and the queue is cleared. Files in the workspace change only with `restore_files`. Streams send `history_reset`.',
    scope: 'write',
    access: 'editor',
    params: z.strictObject({
      ...ChatParams.shape,
      message_id: SerialIdText.describe('ID of a user message.'),
    }),
    body: z
      .strictObject({
        content: Content.describe('New content, replacing the old content.'),
        model_config_id: Model,
        reasoning_effort: Effort,
        restore_files: z
          .boolean()
          .default(false)
          .describe(
            'First restores the files of the workspace to before the first change since the message, as `restoreCheckpoint` does without `overwrite`. If the restore is refused, the message stays as it is. Default: false.',
          ),
      })
      .meta({ examples: [{ content: 'Hello!' }] }),
    answers: {
      200: z.object({
        message: Message.describe('The edited message.'),
        deleted_message_ids: z
          .array(SerialId)
          .describe(
            'IDs of the later messages, which are no longer part of the chat. May be empty.',
          ),
      }),
    },
    refusals: [
      'workspaces_disabled',
      'workspace_not_ready',
      'machine_offline',
      'chat_active',
      'files_changed',
      'checkpoint_unavailable',
      'unknown_model_config',
      'unknown_file',
      'message_too_large',
      'not_a_user_message',
      'chat_archived',
    ],
  }),
  regenerateAnswer: route({
    method: 'post',
    path: '/chats/{chat_id}/messages/{message_id}/regenerate',
    summary: 'Answer a user message again, with the same or another model',
    description:
      'The old answer and all later messages remain as a version of the chat: see `listVersions`. A running turn is stopped, pending calls are canceled, and subagents are interrupted. Queued messages run after the new answer. Files in the workspace do not change. Streams send `history_reset`.',
    scope: 'write',
    access: 'editor',
    params: z.strictObject({
      ...ChatParams.shape,
      message_id: SerialIdText.describe('ID of a user message, or of a message of its answer.'),
    }),
    body: z.strictObject({ model_config_id: Model, reasoning_effort: Effort }),
    answers: { 202: Chat },
    refusals: ['unknown_model_config', 'chat_archived'],
  }),
  listVersions: route({
    method: 'get',
    path: '/chats/{chat_id}/versions',
    summary: 'List the versions of a chat',
    description:
      'Editing a message and regenerating an answer keep the replaced messages as a version. Versions that branch off within a version that is not current are not listed.',
    scope: 'read',
    access: 'viewer',
    params: ChatParams,
    answers: {
      200: z.object({
        branches: z
          .array(Branch)
          .describe('Points with several versions, in the order of the messages.'),
        next_cursor: NoNextCursor,
      }),
    },
  }),
  selectVersion: route({
    method: 'post',
    path: '/chats/{chat_id}/versions/{version_id}/select',
    summary: 'Switch to a version of a chat',
    description:
      'The messages of the version become the messages of the chat, and the next message continues it. The messages that it replaces remain as a version. The chat must be idle and its queue empty. Model, labels and workspace do not change. Streams send `history_reset`.',
    scope: 'write',
    access: 'editor',
    params: z.strictObject({
      ...ChatParams.shape,
      version_id: SerialIdText.describe('ID of a version, from `listVersions`.'),
    }),
    answers: { 200: Chat },
    refusals: ['chat_active', 'chat_archived'],
  }),
  updateQueuedMessage: route({
    method: 'patch',
    path: '/chats/{chat_id}/queue/{queued_message_id}',
    summary: 'Change or move a queued message',
    description:
      'Omitted fields do not change. Fails with 404 if the message has already joined the history.',
    scope: 'write',
    access: 'editor',
    params: QueuedParams,
    body: z.strictObject({
      content: Content.optional().describe('New content, replacing the old content.'),
      position: z
        .int()
        .min(0)
        .optional()
        .describe(
          "Position in the queue. 0 is next. Larger values than the queue's length mean the end.",
        ),
      busy_behavior: z
        .enum(['queue', 'steer'])
        .optional()
        .describe(
          '`queue`: waits until the turn ends. `steer`: joins before the next step, ahead of `queue` messages. To interrupt, promote the message.',
        ),
    }),
    answers: { 200: QueuedMessage },
    refusals: ['unknown_file', 'message_too_large', 'chat_archived'],
  }),
  deleteQueuedMessage: route({
    method: 'delete',
    path: '/chats/{chat_id}/queue/{queued_message_id}',
    summary: 'Delete a queued message',
    description: 'Fails with 404 if the message has already joined the history.',
    scope: 'write',
    access: 'editor',
    params: QueuedParams,
    answers: { 204: null },
    refusals: ['chat_archived'],
  }),
  promoteQueuedMessage: route({
    method: 'post',
    path: '/chats/{chat_id}/queue/{queued_message_id}/promote',
    summary: 'Run a queued message now; interrupts a running turn',
    description:
      'The output of the turn so far is kept. In a chat in `requires_action`, the pending calls are canceled.',
    scope: 'write',
    access: 'editor',
    params: QueuedParams,
    answers: { 202: null },
    refusals: ['chat_archived'],
  }),
};
