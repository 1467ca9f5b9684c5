import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';

export const File = z
  .object({
    id: Uuid.describe('What a `file` part of a message names. Good for its owner alone.'),
    name: z
      .string()
      .meta({ description: 'As it was given with the upload.', examples: ['photo.png'] }),
    media_type: z.string().meta({
      description: 'The `Content-Type` of the upload, without parameters, in lower case.',
      examples: ['image/png'],
    }),
    size: z.int().nonnegative().describe('In bytes.'),
    chat_ids: z
      .array(Uuid)
      .describe(
        'The chats whose messages name the file, without deleted ones. The file is purged with the last of them.',
      ),
    created_at: Timestamp.describe('When it was uploaded, or made by a model or tool.'),
  })
  .meta({ id: 'File', description: 'A file of a user: uploaded, or made by a model or tool.' });
export type File = z.infer<typeof File>;

export const FILE_BYTES_LIMIT = 10 * 1024 * 1024;

/** Bytes of the files that one message names, each counted once. */
export const MESSAGE_FILES_BYTES_LIMIT = 64 * 1024 * 1024;

export const FILE_NAME_LENGTH = 255;

/** No slashes, no control characters, none that change the direction of text, and not the name of a folder. */
export const isFileName = (name: string): boolean =>
  name.length <= FILE_NAME_LENGTH &&
  /^[^\p{Cc}\p{Zl}\p{Zp}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+$/u.test(name) &&
  !/^\s*\.{0,2}\s*$/.test(name);
