import { z } from 'zod';
import { ChatEvent, WatchEvent } from '../event.ts';
import { AfterIdText } from '../ids.ts';
import { Flag, Tail } from '../page.ts';
import { events, routeWith } from '../route.ts';
import { ChatParams } from './chats.ts';

const route = routeWith('Streams');

export const streamRoutes = {
  streamChat: route({
    method: 'get',
    path: '/chats/{chat_id}/stream',
    summary: 'Stream the events of a chat, with Server-Sent Events or a WebSocket',
    description:
      'Without a cursor, the stream starts with the whole chat: messages, queue, status, then live parts so far. With a cursor, it resumes exactly there, on any server. A WebSocket (`Upgrade: websocket`) sends the same JSON, one event per message. A comment is sent every 15 seconds, a `ping` every 30. `tail` and `after_id` shorten the initial state; a cursor takes precedence over `after_id`, and `after_id` over `tail`.',
    scope: 'read',
    access: 'viewer',
    link: true,
    params: ChatParams,
    query: z.strictObject({
      after: z
        .string()
        .max(500)
        .optional()
        .describe(
          '`cursor` of the last event you have received. A `Last-Event-ID` header takes precedence. Default: from the beginning.',
        ),
      after_id: AfterIdText.optional().describe(
        'Without a cursor: skips the messages up to this one. 0: none.',
      ),
      tail: Tail.optional().describe(
        'Number of newest messages to start with, also after an edit. Default: all.',
      ),
    }),
    answers: { 200: events(ChatEvent) },
    refusals: ['invalid_query', 'invalid_cursor', 'too_many_requests', 'origin_not_allowed'],
  }),
  watchChats: route({
    method: 'get',
    path: '/watch',
    summary: 'Watch your chats and those shared with you, with Server-Sent Events or a WebSocket',
    description:
      'Starts with a `snapshot` and has no cursors; every connection gets a new snapshot. Steps of a turn are not reported; use `streamChat` for them.',
    scope: 'read',
    query: z.strictObject({
      all: Flag.optional().describe('Includes the chats of all users, for admins. Logged.'),
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
