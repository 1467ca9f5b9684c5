import { storeFile } from '../../store/files.ts';
import { deleteFile } from '../../store/queries/delete-file.ts';
import { readFileBytes } from '../../store/queries/read-file-bytes.ts';
import type { CallsOf } from '../call.ts';
import { attachment, UPLOAD_HEADERS } from '../headers.ts';
import { presentFile } from '../present/file.ts';
import { notFound } from '../refusal.ts';

export const fileCalls = (): CallsOf<'Files'> => ({
  async uploadFile({ query, body, caller, db }) {
    const file = { data: body.bytes, media_type: body.mediaType, name: query.name };
    return { status: 201, body: presentFile(await storeFile(db, caller.user.id, file)) };
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
