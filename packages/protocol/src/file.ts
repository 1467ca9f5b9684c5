import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';

export const File = z
  .object({
    id: Uuid.describe('ID of the file, for `file` parts of messages. Usable by its owner only.'),
    name: z.string().meta({ description: 'File name of the upload.', examples: ['photo.png'] }),
    media_type: z.string().meta({
      description: 'Media type of the upload, in lower case and without parameters.',
      examples: ['image/png'],
    }),
    size: z.int().nonnegative().describe('Size in bytes.'),
    chat_ids: z
      .array(Uuid)
      .describe(
        'Chats with messages that contain the file, without deleted chats. The file is purged together with the last of them.',
      ),
    created_at: Timestamp.describe(
      'Time when the file was uploaded, or created by a model or tool.',
    ),
  })
  .meta({ id: 'File', description: 'A file of a user: uploaded, or created by a model or tool.' });
export type File = z.infer<typeof File>;

export const FILE_BYTES_LIMIT = 10 * 1024 * 1024;

/** Total size of the files in one message. Each file counts once. */
export const MESSAGE_FILES_BYTES_LIMIT = 64 * 1024 * 1024;

export const FILE_NAME_LENGTH = 255;

/** No slashes, control characters or bidirectional overrides, and not `.` or `..`. */
export const isFileName = (name: string): boolean =>
  name.length <= FILE_NAME_LENGTH &&
  /^[^\p{Cc}\p{Zl}\p{Zp}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+$/u.test(name) &&
  !/^\s*\.{0,2}\s*$/.test(name);
