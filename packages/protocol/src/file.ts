import { z } from 'zod';
import { Timestamp, Uuid } from './ids.ts';

export const File = z
  .object({
    id: Uuid,
    name: z.string(),
    media_type: z.string(),
    size: z.int().nonnegative(),
    created_at: Timestamp,
  })
  .meta({ id: 'File' });
export type File = z.infer<typeof File>;

export const FILE_BYTES_LIMIT = 10 * 1024 * 1024;
