import { deleteFile } from '../../store/queries/delete-file.ts';
import { insertFile } from '../../store/queries/insert-file.ts';
import { readFileBytes } from '../../store/queries/read-file-bytes.ts';
import { onlyRow } from '../../store/statement.ts';
import { uuidv7 } from '../../store/uuid.ts';
import type { CallsOf } from '../call.ts';
import { attachment, UPLOAD_HEADERS } from '../headers.ts';
import { presentFile } from '../present/file.ts';
import { notFound } from '../refusal.ts';

export const fileCalls = (): CallsOf<'Files'> => ({
  async uploadFile({ query, body, caller, db }) {
    const rows = await db.query(insertFile, [
      uuidv7(),
      caller.user.id,
      query.name,
      body.mediaType,
      body.bytes,
    ]);
    return { status: 201, body: presentFile(onlyRow(rows)) };
  },

  async getFile({ found, db }) {
    const [stored] = await db.query(readFileBytes, [found.file.id]);
    if (stored === undefined) throw notFound();
    return {
      status: 200,
      media: found.file.media_type,
      content: stored.bytes,
      headers: { ...UPLOAD_HEADERS, 'content-disposition': attachment(found.file.name) },
    };
  },

  async deleteFile({ found, db }) {
    await db.query(deleteFile, [found.file.id]);
    return { status: 204 };
  },
});
