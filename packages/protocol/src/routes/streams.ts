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
    scope: 'read',
    params: ChatParams,
    query: z.strictObject({
      after: z
        .string()
        .max(500)
        .optional()
        .describe('The cursor of the last event you have; a Last-Event-ID goes before it'),
      after_id: AfterIdText.optional().describe(
        'Without a cursor: begin after this message, whatever came since then',
      ),
      tail: Tail.optional().describe(
        'Begin with so many of the newest messages, also after an edit; without it, with all of them',
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
