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
    created_at: Timestamp.describe('When it was uploaded, or made by a model or tool.'),
  })
  .meta({ id: 'File', description: 'A file of a user: uploaded, or made by a model or tool.' });
export type File = z.infer<typeof File>;

export const FILE_BYTES_LIMIT = 10 * 1024 * 1024;
