import { z } from 'zod';
import { Timestamp } from './ids.ts';

export const WorkspaceFile = z
  .object({
    name: z.string().meta({ description: 'Its name in the folder.', examples: ['README.md'] }),
    type: z
      .enum(['file', 'directory', 'link', 'other'])
      .describe(
        '`link`: a symbolic link, wherever it leads. `other`: a socket, a device and the like.',
      ),
    size: z.int().describe('In bytes.'),
    modified_at: Timestamp.describe('When its content last changed.'),
  })
  .meta({ id: 'WorkspaceFile', description: 'What is in a folder of a workspace.' });
export type WorkspaceFile = z.infer<typeof WorkspaceFile>;

export const WorkspaceFolder = z
  .object({
    path: z.string().meta({
      description: 'Relative to the root of the workspace, which is `.`.',
      examples: ['src'],
    }),
    entries: z.array(WorkspaceFile).describe('What is in it, at most 5,000.'),
    more: z.boolean().describe('There are more entries than are listed.'),
  })
  .meta({ id: 'WorkspaceFolder', description: 'A folder of a workspace.' });
export type WorkspaceFolder = z.infer<typeof WorkspaceFolder>;
