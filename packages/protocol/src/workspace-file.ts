import { z } from 'zod';
import { Timestamp } from './ids.ts';

export const WorkspaceFile = z
  .object({
    name: z.string().meta({ description: 'Name of the entry.', examples: ['README.md'] }),
    type: z
      .enum(['file', 'directory', 'link', 'other'])
      .describe(
        'Type of the entry. `link`: a symbolic link. `other`: for example a socket or a device.',
      ),
    size: z.int().describe('Size in bytes.'),
    modified_at: Timestamp.describe('Time of the last modification.'),
  })
  .meta({ id: 'WorkspaceFile', description: 'An entry in a folder of a workspace.' });
export type WorkspaceFile = z.infer<typeof WorkspaceFile>;

export const WorkspaceFileVersion = z
  .object({
    path: z.string().meta({
      description: 'Path relative to the workspace root.',
      examples: ['README.md'],
    }),
    size: z.int().describe('Size in bytes.'),
    version: z
      .string()
      .describe('SHA-256 of the content in hex. Pass it as `if_version` to the next write.'),
  })
  .meta({ id: 'WorkspaceFileVersion', description: 'A written file of a workspace.' });
export type WorkspaceFileVersion = z.infer<typeof WorkspaceFileVersion>;

export const WorkspaceFolder = z
  .object({
    path: z.string().meta({
      description: 'Path relative to the workspace root, which is `.`.',
      examples: ['src'],
    }),
    entries: z.array(WorkspaceFile).describe('Entries of the folder. At most 5,000.'),
    more: z.boolean().describe('True if the folder has more entries than listed.'),
  })
  .meta({ id: 'WorkspaceFolder', description: 'A folder of a workspace.' });
export type WorkspaceFolder = z.infer<typeof WorkspaceFolder>;
