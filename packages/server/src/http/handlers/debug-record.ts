import { deleteDebugEntries, listDebugEntries } from '../../store/queries/debug-entries.ts';
import type { HandlersOf } from '../call.ts';
import { decodeCursor, IdCursor, page } from '../request/cursor.ts';

/** Admins can read the chats of all users here, so every access is logged. */
export const debugRecordHandlers = (): HandlersOf<'Debug record'> => ({
  async listDebugEntries({ found, query, caller, db, exchange }) {
    const about = { user: caller.user.username, chat_id: found.chat.id };
    exchange.log.info(about, 'an admin reads the debug record of a chat');
    const after = decodeCursor(IdCursor, query.cursor);
    const rows = await db.query(listDebugEntries, {
      chat_id: found.chat.id,
      before_id: after?.id ?? null,
      limit: query.limit + 1,
    });
    const { rows: shown, next_cursor } = page(rows, query.limit, ({ id }) => ({ id }));
    const entries = shown.map(({ id, chat_id, created_at, entry }) => ({
      id,
      chat_id,
      created_at: created_at.toISOString(),
      ...entry,
    }));
    return { status: 200, body: { entries, next_cursor } };
  },

  async deleteDebugEntries({ found, caller, db, exchange }) {
    const about = { user: caller.user.username, chat_id: found.chat.id };
    exchange.log.info(about, 'an admin deletes the debug record of a chat');
    await db.query(deleteDebugEntries, { chat_id: found.chat.id });
    return { status: 204 };
  },
});
