import { z } from 'zod';
import { Timestamp } from './ids.ts';

export const WorkspaceFile = z
  .object({
    name: z.string(),
    type: z.enum(['file', 'directory', 'link', 'other']),
    /** In bytes. */
    size: z.int(),
    modified_at: Timestamp,
  })
  .meta({ id: 'WorkspaceFile' });
export type WorkspaceFile = z.infer<typeof WorkspaceFile>;

export const WorkspaceFolder = z
  .object({
    /** Relative to the root of the workspace, which is `.`. */
    path: z.string(),
    entries: z.array(WorkspaceFile),
    /** There are more entries than are listed. */
    more: z.boolean(),
  })
  .meta({ id: 'WorkspaceFolder' });
export type WorkspaceFolder = z.infer<typeof WorkspaceFolder>;
