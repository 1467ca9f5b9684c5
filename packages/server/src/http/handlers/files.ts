import { bytesOfOwner, deleteFile, listFiles } from '../../store/queries/files.ts';
import { loadSettings } from '../../store/settings.ts';
import { onlyRow } from '../../store/statement.ts';
import type { HandlersOf } from '../call.ts';
import { decodeCursor, IdCursor, page } from '../request/cursor.ts';
import { attachment, UPLOAD_HEADERS } from '../headers.ts';
import { presentFile } from '../../present/file.ts';
import { notFound } from '../../chat/refused.ts';
import type { Services } from '../services.ts';

export const fileHandlers = ({ store: { files } }: Services): HandlersOf<'Files'> => ({
  async listFiles({ query, caller, db }) {
    const after = decodeCursor(IdCursor, query.cursor);
    const owner_id = caller.user.id;
    const { rows, next_cursor } = page(
      await db.query(listFiles, { owner_id, before_id: after?.id ?? null, limit: query.limit + 1 }),
      query.limit,
      ({ id }) => ({ id }),
    );
    const { bytes } = onlyRow(await db.query(bytesOfOwner, { owner_id }));
    const { max_file_bytes_per_user: max_bytes } = await loadSettings(db);
    return {
      status: 200,
      body: { files: rows.map(presentFile), next_cursor, used_bytes: bytes, max_bytes },
    };
  },

  async uploadFile({ query, body, caller, tx }) {
    const file = { data: body.bytes, media_type: body.mediaType, name: query.name };
    return { status: 201, body: presentFile(await files.store(caller.user.id, file, { tx })) };
  },

  async getFile({ found }) {
    const file = await files.load(found.file.id);
    if (file === undefined) throw notFound();
    return {
      status: 200,
      media: file.media_type,
      content: Buffer.from(file.data),
      headers: { ...UPLOAD_HEADERS, 'content-disposition': attachment(found.file.name) },
    };
  },

  async deleteFile({ found, db }) {
    await db.query(deleteFile, { id: found.file.id });
    return { status: 204 };
  },
});
