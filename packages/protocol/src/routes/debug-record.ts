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
    summary:
      'The recorded model calls of a chat, newest first. Of any user: every such look is logged.',
    description:
      'There are entries only while the setting `debug_record` is on, and for as long as it says.',
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
    description: 'New calls are recorded as before. Every such call is logged.',
    scope: 'admin',
    anyOwner: true,
    params: DebuggedChat,
    answers: { 204: null },
    refusals: [],
  }),
};
