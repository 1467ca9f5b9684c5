import { z } from 'zod';
import { Chat, ChatStatus } from './chat.ts';
import { ChatError, Retry } from './chat-error.ts';
import { Uuid } from './ids.ts';
import { Json } from './json.ts';
import { Message, Role } from './message.ts';
import { Part } from './part.ts';
import { QueuedMessage } from './queued-message.ts';

const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), chat_id: Uuid, cursor: z.string(), ...shape });

/** Who has to answer a call: the client's program, or a person who approves or is asked. */
export const ActionKind = z.enum(['dynamic', 'approval', 'question']);
export type ActionKind = z.infer<typeof ActionKind>;

export const AwaitedCall = z.object({
  tool_call_id: z.string(),
  tool_name: z.string(),
  args: Json,
  kind: ActionKind,
});
export type AwaitedCall = z.infer<typeof AwaitedCall>;

/** Everything that `GET /chats/{chat_id}/stream` can say. */
export const ChatEvent = z
  .discriminatedUnion('type', [
    event('message', { message: Message }),
    event('message_part', {
      role: Role,
      part: Part,
      history_version: z.int(),
      attempt: z.int(),
      /** First of the merged deltas, when some were merged for a client that was behind. */
      from_seq: z.int().positive().optional(),
      seq: z.int().positive(),
    }),
    event('preview_reset', {}),
    event('history_reset', {}),
    event('status', { status: ChatStatus }),
    event('queue_update', { queued_messages: z.array(QueuedMessage) }),
    event('action_required', { tool_calls: z.array(AwaitedCall) }),
    event('retry', Retry.shape),
    event('error', { error: ChatError }),
    event('ping', {}),
  ])
  .meta({ id: 'ChatEvent' });
export type ChatEvent = z.infer<typeof ChatEvent>;

/** What `GET /watch` says: once what there is, the chats that a list shows first, then what happens to any. */
export const WatchEvent = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('snapshot'), chats: z.array(Chat) }),
    z.object({
      kind: z.enum([
        'created',
        'status_change',
        'title_change',
        'changed',
        'action_required',
        'deleted',
      ]),
      chat: Chat,
    }),
    z.object({ kind: z.literal('ping') }),
  ])
  .meta({ id: 'WatchEvent' });
export type WatchEvent = z.infer<typeof WatchEvent>;
