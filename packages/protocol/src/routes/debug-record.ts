import { z } from 'zod';
import { DebugEntry } from '../debug-record.ts';
import { Uuid } from '../ids.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { route } from '../route.ts';

const tag = 'Debug record';
const DebuggedChat = z.strictObject({ chat_id: Uuid.describe("A chat, anybody's.") });

export const debugRecordRoutes = {
  listDebugEntries: route({
    method: 'get',
    path: '/chats/{chat_id}/debug',
    tag,
    summary: 'List the recorded model calls of a chat, newest first',
    description:
      'Of a chat of any user: every such look is logged. There are entries only of calls that were made while the setting `debug_record` was on, for as long as it says.',
    scope: 'admin',
    anyOwner: true,
    params: DebuggedChat,
    query: z.strictObject({ limit: Limit, cursor: Cursor }),
    answers: {
      200: z.object({
        entries: z.array(DebugEntry).describe('One page of them.'),
        next_cursor: NextCursor,
      }),
    },
    refusals: ['invalid_cursor'],
  }),
  deleteDebugEntries: route({
    method: 'delete',
    path: '/chats/{chat_id}/debug',
    tag,
    summary: 'Forget the recorded model calls of a chat',
    description: 'Calls that are made later are recorded as before. Every such deletion is logged.',
    scope: 'admin',
    anyOwner: true,
    params: DebuggedChat,
    answers: { 204: null },
    refusals: [],
  }),
};
