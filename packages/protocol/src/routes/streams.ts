import { z } from 'zod';
import { ChatEvent, WatchEvent } from '../event.ts';
import { AfterIdText } from '../ids.ts';
import { Flag, Tail } from '../page.ts';
import { events, route } from '../route.ts';
import { ChatParams } from './chats.ts';

const tag = 'Streams';

export const streamRoutes = {
  streamChat: route({
    method: 'get',
    path: '/chats/{chat_id}/stream',
    tag,
    summary:
      'Follow a chat, from where you left it: Server-Sent Events, or a WebSocket with the same events',
    description:
      'Without a cursor it begins with the whole chat: messages, queue, status, then live parts so far. With one, it goes on exactly where you left off, from any server. A WebSocket (`Upgrade: websocket`) sends the same JSON, one event a message. A comment comes every 15 seconds, a `ping` every 30. `tail` and `after_id` shorten the beginning; a cursor goes before `after_id`, and that before `tail`.',
    scope: 'read',
    params: ChatParams,
    query: z.strictObject({
      after: z
        .string()
        .max(500)
        .optional()
        .describe(
          'The `cursor` of the last event you have; a `Last-Event-ID` header goes before it. Without one, from the beginning.',
        ),
      after_id: AfterIdText.optional().describe(
        'Without a cursor: leave out the messages up to this one; 0: none.',
      ),
      tail: Tail.optional().describe(
        'Begin with so many of the newest messages, also after an edit. Without it, with all of them.',
      ),
    }),
    answers: { 200: events(ChatEvent) },
    refusals: ['invalid_query', 'invalid_cursor', 'too_many_requests', 'origin_not_allowed'],
  }),
  watchChats: route({
    method: 'get',
    path: '/watch',
    tag,
    summary:
      'Watch all your chats: what there is, then what changes. Server-Sent Events, or a WebSocket',
    description:
      'It begins with a `snapshot` and has no cursors: when you come back, there is a new one. Steps of a turn are no news here; `streamChat` has them.',
    scope: 'read',
    query: z.strictObject({
      all: Flag.optional().describe(
        'As an admin: the chats of all users. Every such look is logged.',
      ),
    }),
    answers: { 200: events(WatchEvent) },
    refusals: [
      'invalid_query',
      'insufficient_scope',
      'admin_required',
      'too_many_requests',
      'origin_not_allowed',
    ],
  }),
};
