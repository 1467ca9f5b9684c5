import { type InputPart, MESSAGE_FILES_BYTES_LIMIT } from '@chatd/protocol';
import { Refused } from '../../chat/refused.ts';
import type { StoredPart } from '../../chat/row.ts';
import { findFiles } from '../queries/files.ts';
import type { Queryable } from '../statement.ts';
import { inMegabytes } from './megabytes.ts';

/**
 * The content of a message as stored. Files must belong to the sender or be in the chat already, and get the type and name
 * of the upload.
 */
export async function completeContent(
  db: Queryable,
  ownerId: string,
  content: readonly InputPart[],
  chatId: string | null = null,
): Promise<StoredPart[]> {
  const wanted = content.flatMap((part) => (part.type === 'file' ? [part.file_id] : []));
  const rows =
    wanted.length === 0
      ? []
      : await db.query(findFiles, { owner_id: ownerId, chat_id: chatId, ids: wanted });
  const files = new Map(rows.map((row) => [row.id, row]));
  const bytes = rows.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MESSAGE_FILES_BYTES_LIMIT) {
    throw new Refused(
      'message_too_large',
      `The files of a message have ${inMegabytes(bytes)} in total. The limit is ${inMegabytes(MESSAGE_FILES_BYTES_LIMIT)}. Send them in several messages.`,
    );
  }
  return content.map((part): StoredPart => {
    if (part.type !== 'file') return { ...part };
    const file = files.get(part.file_id.toLowerCase());
    if (file === undefined) {
      throw new Refused('unknown_file', `File ${part.file_id} does not exist. Upload it first.`);
    }
    return { type: 'file', file_id: file.id, media_type: file.media_type, name: file.name };
  });
}
