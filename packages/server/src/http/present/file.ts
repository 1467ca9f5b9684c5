import type { File } from '@chatd/protocol';
import type { FileRow } from '../../store/files.ts';

export function presentFile(row: FileRow): File {
  return {
    id: row.id,
    name: row.name,
    media_type: row.media_type,
    size: row.size,
    created_at: row.created_at.toISOString(),
  };
}
