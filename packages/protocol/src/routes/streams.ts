import { z } from 'zod';
import { ChatEvent } from '../event.ts';
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
    }),
    answers: { 200: events(ChatEvent) },
    refusals: ['invalid_query', 'invalid_cursor', 'too_many_requests', 'origin_not_allowed'],
  }),
};
