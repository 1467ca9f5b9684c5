import { z } from 'zod';
import { ActionKind } from './action-kind.ts';
import { Chat, ChatStatus } from './chat.ts';
import { ChatError, Retry } from './chat-error.ts';
import { Uuid } from './ids.ts';
import { Json } from './json.ts';
import { Message, Role } from './message.ts';
import { Part } from './part.ts';
import { QueuedMessage } from './queued-message.ts';
import { Participant } from './sharing.ts';

const ChatId = Uuid.describe('The chat of the stream.');
const EventCursor = z
  .string()
  .describe(
    'Position in the stream after this event, also sent as the `id:` field of Server-Sent Events. To resume, send the last one as `Last-Event-ID` or `after`. Opaque, valid for this chat only, never expires.',
  );

const event = <T extends string, S extends z.ZodRawShape>(type: T, description: string, shape: S) =>
  z
    .object({
      type: z.literal(type).describe('Type of the event.'),
      chat_id: ChatId,
      cursor: EventCursor,
      ...shape,
    })
    .meta({ title: type, description });

export const AwaitedCall = z
  .object({
    tool_call_id: z.string().meta({
      description: 'ID of the call, to use in the response to it.',
      examples: ['toolu_01'],
    }),
    tool_name: z.string().meta({ description: 'Name of the called tool.', examples: ['execute'] }),
    args: Json.describe('Arguments of the call. `{}` if the model produced invalid JSON.'),
    kind: ActionKind.describe('Who must resolve the call, and with which endpoint.'),
    pattern: z
      .string()
      .optional()
      .describe(
        'For approvals: pattern of the rule that `remember` adds, without the chat. Absent if the call is too long for a rule.',
      ),
  })
  .meta({ id: 'AwaitedCall', description: 'A tool call that the turn waits for.' });
export type AwaitedCall = z.infer<typeof AwaitedCall>;

const DecidedCall = z
  .object({
    tool_call_id: z.string().describe('ID of the call.'),
    decision: z.enum(['allow', 'deny']).describe("The user's decision."),
  })
  .meta({ id: 'DecidedCall', description: 'A decided tool call that waits for other decisions.' });
export type DecidedCall = z.infer<typeof DecidedCall>;

export const ChatEvent = z
  .discriminatedUnion('type', [
    event('message', 'A message was committed. Insert it into the history by its ID.', {
      message: Message.describe('The complete message. It changes only through an edit.'),
    }),
    event('message_part', 'A live part. Append it to the preview of the current step.', {
      role: Role.describe('Role of the future message: `assistant` or `tool`.'),
      part: Part.describe(
        'Text, reasoning, `args_delta` and `result_delta` are deltas to append. Everything else is complete.',
      ),
      history_version: z.int().describe('`history_version` of the chat that the turn works on.'),
      attempt: z
        .int()
        .describe(
          'Number of the attempt at this step, starting at 1. 0: output of a running tool.',
        ),
      from_seq: z
        .int()
        .positive()
        .optional()
        .describe(
          'Sequence number of the first part merged into this one. Absent if it is a single part.',
        ),
      seq: z
        .int()
        .positive()
        .describe('Sequence number within the attempt: 1, 2, 3, without gaps.'),
    }),
    event(
      'preview_reset',
      'Discard the live parts. They were committed as messages, or their attempt failed.',
      {},
    ),
    event(
      'history_reset',
      'Discard all messages: one was edited, an answer is regenerated, or another version was selected. The messages of the chat follow.',
      {},
    ),
    event(
      'status',
      'The status of the chat changed, or a turn ended that the client has not seen.',
      {
        status: ChatStatus.describe('New status of the chat.'),
      },
    ),
    event('queue_update', 'The queue changed.', {
      queued_messages: z
        .array(QueuedMessage)
        .describe('The complete queue, next message first. Replaces the previous one.'),
    }),
    event(
      'action_required',
      'The turn waits for an action. Sent again when fewer calls are left.',
      {
        tool_calls: z.array(AwaitedCall).describe('All calls that the turn waits for.'),
        decided: z
          .array(DecidedCall)
          .optional()
          .describe(
            'Calls that were already decided and wait for the others. Absent if there are none.',
          ),
      },
    ),
    event('retry', 'A model call failed and will be retried.', Retry.shape),
    event('error', 'The turn failed. The status is `error`.', {
      error: ChatError.describe('Why the turn failed. Equal to `last_error` of the chat.'),
    }),
    event(
      'viewers',
      'Who follows the chat now, on all servers. Sent when it changes, once a second person follows the chat. Not sent to clients with a link.',
      {
        viewers: z
          .array(Participant)
          .describe('All users with an open stream of the chat, including you, by user name.'),
        link_viewers: z
          .int()
          .nonnegative()
          .describe('Number of open streams by the link of the chat.'),
      },
    ),
    event('ping', 'Sent every 30 seconds to keep the connection alive.', {}),
  ])
  .meta({
    id: 'ChatEvent',
    description:
      'Event in the stream of a chat. For one change, messages come first, then `preview_reset`, then `status`.',
  });
export type ChatEvent = z.infer<typeof ChatEvent>;

/** The events of a streamed response, which starts with what the request would return as JSON. */
export const turnEvent = <Body extends z.ZodType>(body: Body) =>
  z.union([
    event('response', 'The request has taken effect. The first event.', {
      body: body.describe('The response without streaming.'),
    }),
    ChatEvent,
  ]);
export type TurnEvent<Body extends z.ZodType = z.ZodType> = z.infer<
  ReturnType<typeof turnEvent<Body>>
>;

export const WatchEvent = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('snapshot').describe('Type of the event.'),
        chats: z
          .array(Chat)
          .describe(
            'The first 200 chats of `listChats`, and of those shared with you, then up to 200 of their most recently active subagents.',
          ),
      })
      .meta({
        title: 'snapshot',
        description:
          'Current state, replacing all earlier state. The first event; sent again when events may have been lost, or when the chats that are shared with you change.',
      }),
    z
      .object({
        type: z
          .enum([
            'created',
            'status_change',
            'title_change',
            'changed',
            'action_required',
            'deleted',
          ])
          .describe(
            '`created`: created or restored. `status_change`, `title_change`: the status or title changed. `changed`: another field changed. `action_required`: the chat waits for an action. `deleted`: deleted, possibly only temporarily.',
          ),
        chat: Chat.describe(
          'The complete chat after the change. It may be a chat that was not in the snapshot.',
        ),
      })
      .meta({ title: 'change', description: 'A chat changed.' }),
    z
      .object({ type: z.literal('ping').describe('Type of the event.') })
      .meta({ title: 'ping', description: 'Sent every 30 seconds to keep the connection alive.' }),
  ])
  .meta({
    id: 'WatchEvent',
    description: 'Event about the chats of a user. These events have no cursors.',
  });
export type WatchEvent = z.infer<typeof WatchEvent>;
