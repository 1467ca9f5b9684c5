import { z } from 'zod';
import { DebugEntry } from '../debug-record.ts';
import { Uuid } from '../ids.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { routeWith } from '../route.ts';

const route = routeWith('Debug record');
const DebuggedChat = z.strictObject({ chat_id: Uuid.describe('A chat of any user.') });

export const debugRecordRoutes = {
  listDebugEntries: route({
    method: 'get',
    path: '/chats/{chat_id}/debug',
    summary: 'List the recorded model calls of a chat, newest first',
    description:
      'Works for chats of all users; every access is logged. Contains only calls made while the setting `debug_record` was on, for its retention time.',
    scope: 'admin',
    anyOwner: true,
    params: DebuggedChat,
    query: z.strictObject({ limit: Limit, cursor: Cursor }),
    answers: {
      200: z.object({
        entries: z.array(DebugEntry).describe('One page of entries.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_cursor'],
    audit: { action: 'chat.read_debug_record' },
  }),
  deleteDebugEntries: route({
    method: 'delete',
    path: '/chats/{chat_id}/debug',
    summary: 'Delete the recorded model calls of a chat',
    description: 'Later calls are still recorded. Every deletion is logged.',
    scope: 'admin',
    anyOwner: true,
    params: DebuggedChat,
    answers: { 204: null },
    audit: { action: 'chat.delete_debug_record' },
  }),
};
