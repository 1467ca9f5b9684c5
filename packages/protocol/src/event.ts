import { z } from 'zod';
import { Chat, ChatStatus } from './chat.ts';
import { ChatError, Retry } from './chat-error.ts';
import { enumeration } from './enumeration.ts';
import { Uuid } from './ids.ts';
import { Json } from './json.ts';
import { Message, Role } from './message.ts';
import { Part } from './part.ts';
import { QueuedMessage } from './queued-message.ts';

const ChatId = Uuid.describe('The chat of the stream.');
const EventCursor = z
  .string()
  .describe(
    'Where you are once you have this event; also the `id:` line of Server-Sent Events. Come back with the last one as `Last-Event-ID` or `after`. Opaque, does not expire, belongs to its chat.',
  );

const event = <T extends string, S extends z.ZodRawShape>(type: T, description: string, shape: S) =>
  z
    .object({
      type: z.literal(type).describe('Which event it is.'),
      chat_id: ChatId,
      cursor: EventCursor,
      ...shape,
    })
    .meta({ title: type, description });

export const ActionKind = enumeration('ActionKind', 'Who has to answer a call.', {
  dynamic:
    "the client's program, by `submitToolResults`, within `dynamic_tool_timeout_seconds` of the settings (default: 5 minutes): then it is canceled",
  approval: 'a person who allows or denies it, by `decideApprovals`, in any time',
  question: 'a person who answers a question or a plan, by `answerQuestion`, in any time',
});
export type ActionKind = z.infer<typeof ActionKind>;

export const AwaitedCall = z
  .object({
    tool_call_id: z
      .string()
      .meta({ description: 'Names the call in the answer to it.', examples: ['toolu_01'] }),
    tool_name: z.string().meta({ description: 'The tool that was called.', examples: ['execute'] }),
    args: Json.describe('Its arguments, as the model gave them. `{}` if it gave what is no JSON.'),
    kind: ActionKind.describe('Who has to answer, and by which call.'),
  })
  .meta({ id: 'AwaitedCall', description: 'A call of a tool that the turn waits for.' });
export type AwaitedCall = z.infer<typeof AwaitedCall>;

/** Everything that `GET /chats/{chat_id}/stream` can say. */
export const ChatEvent = z
  .discriminatedUnion('type', [
    event('message', 'A message was committed: put it into the history by its id.', {
      message: Message.describe('The whole message; it does not change until an edit.'),
    }),
    event('message_part', 'A live part: append it to the preview of what is being said.', {
      role: Role.describe('Whose message it will be part of: `assistant` or `tool`.'),
      part: Part.describe(
        'Text, reasoning, `args_delta` and `result_delta` are pieces to append; everything else is whole.',
      ),
      history_version: z
        .int()
        .describe('The history that the turn works on: `history_version` of the chat.'),
      attempt: z
        .int()
        .describe(
          'Which try at this step it is, from 1. 0 for what tools put out: that is between two attempts.',
        ),
      from_seq: z
        .int()
        .positive()
        .optional()
        .describe(
          'The first of the parts that were merged into this one. Absent if it is only one.',
        ),
      seq: z.int().positive().describe('Counts the parts of an attempt: 1, 2, 3, without a gap.'),
    }),
    event(
      'preview_reset',
      'Drop the live parts: they were committed as messages, or their attempt is void.',
      {},
    ),
    event('history_reset', 'Drop all messages: one was edited. Those that are left follow.', {}),
    event('status', 'The chat does something else now.', {
      status: ChatStatus.describe('What it does from here on.'),
    }),
    event('queue_update', 'The queue has changed.', {
      queued_messages: z
        .array(QueuedMessage)
        .describe('The whole queue, the next one first. It replaces what you have.'),
    }),
    event('action_required', 'The turn waits for somebody; sent again when fewer calls are left.', {
      tool_calls: z.array(AwaitedCall).describe('All calls that are waited for now.'),
    }),
    event('retry', 'A model call failed and is going to be made again.', Retry.shape),
    event('error', 'The turn failed. The status is `error`.', {
      error: ChatError.describe('Why. Also `last_error` of the chat.'),
    }),
    event('ping', 'Sent every 30 seconds: the line is alive.', {}),
  ])
  .meta({
    id: 'ChatEvent',
    description:
      'Everything that the stream of a chat says, one object each event. Of one change, messages come first, then `preview_reset`, then `status`.',
  });
export type ChatEvent = z.infer<typeof ChatEvent>;

/** What `GET /watch` says: once what there is, the chats that a list shows first, then what happens to any. */
export const WatchEvent = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('snapshot').describe('Which event it is.'),
        chats: z
          .array(Chat)
          .describe(
            'The first 200 chats of `listChats`, then those of their subagents that were active last, at most 200.',
          ),
      })
      .meta({
        title: 'snapshot',
        description:
          'How it is now: forget what you knew. The first event, and sent again when something may have been missed.',
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
            '`created`: it is new, or was restored. `status_change`, `title_change`: its status or title is another. `changed`: something else that a list shows. `action_required`: it waits for an answer. `deleted`: it is gone, for now or for good.',
          ),
        chat: Chat.describe(
          'The whole chat, after the change. One that you do not know is one that lists show further down.',
        ),
      })
      .meta({ title: 'change', description: 'Something happened to one chat.' }),
    z
      .object({ type: z.literal('ping').describe('Which event it is.') })
      .meta({ title: 'ping', description: 'Sent every 30 seconds: the line is alive.' }),
  ])
  .meta({
    id: 'WatchEvent',
    description: 'What happens to chats, one object each event, without cursors.',
  });
export type WatchEvent = z.infer<typeof WatchEvent>;
