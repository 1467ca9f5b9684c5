import { z } from 'zod';
import { DebugEntry } from '../debug-record.ts';
import { Cursor, Limit, NextCursor } from '../page.ts';
import { route } from '../route.ts';
import { ChatParams } from './chats.ts';

const tag = 'Debug record';

export const debugRecordRoutes = {
  listDebugEntries: route({
    method: 'get',
    path: '/chats/{chat_id}/debug',
    tag,
    summary:
      'The recorded model calls of a chat, newest first. Of any user: every such look is logged.',
    scope: 'admin',
    anyOwner: true,
    params: ChatParams,
    query: z.strictObject({ limit: Limit, cursor: Cursor.optional() }),
    answers: { 200: z.object({ entries: z.array(DebugEntry), next_cursor: NextCursor }) },
    refusals: ['invalid_cursor'],
  }),
  deleteDebugEntries: route({
    method: 'delete',
    path: '/chats/{chat_id}/debug',
    tag,
    summary: 'Forget the recorded model calls of a chat',
    scope: 'admin',
    anyOwner: true,
    params: ChatParams,
    answers: { 204: null },
    refusals: [],
  }),
};
