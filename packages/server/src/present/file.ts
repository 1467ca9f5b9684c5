import type { File } from '@chatd/protocol';
import type { FileRow } from '../store/files/file-row.ts';

export function presentFile(row: FileRow): File {
  return {
    id: row.id,
    name: row.name,
    media_type: row.media_type,
    size: row.size,
    chat_ids: [...row.chat_ids],
    created_at: row.created_at.toISOString(),
  };
}
