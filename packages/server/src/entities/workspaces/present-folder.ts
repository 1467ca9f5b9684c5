import type { WorkspaceFolder } from '@chatd/protocol';
import type { Folder } from '../../workspaces/files/workspace-files.ts';

export const presentFolder = ({ path, entries, more }: Folder): WorkspaceFolder => ({
  path,
  entries: entries.map((entry) => ({
    name: entry.path,
    type: entry.kind,
    size: entry.size,
    modified_at: new Date(entry.modified).toISOString(),
  })),
  more,
});
