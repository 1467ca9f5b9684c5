import type { LocalTool } from '@chatd/loop';
import { z } from 'zod';
import type { FileEntry } from '../../machine/drivers/driver.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { insideRoot, shownPath } from '../../workspaces/files/path.ts';
import { agentTool } from '../agent-tool.ts';

const MAX = 1000;
const NOT_ENTERED = ['.git', 'node_modules', '.venv', '__pycache__'];

const Input = z.strictObject({
  path: z.string().min(1).optional().describe('A folder. Default: the root'),
  depth: z.int().min(1).max(10).optional().describe('Number of levels. Default: 2'),
});

export const listFiles = (handle: WorkspaceHandle): LocalTool =>
  agentTool({
    name: 'list_files',
    description: `List a folder of the workspace, up to ${MAX} entries. Folder names end with a slash. The contents of ${NOT_ENTERED.join(', ')} are not listed.`,
    input: Input,
    idempotent: true,
    readOnly: true,
    forDesktops: true,
    async run({ path = '.', depth = 2 }, context) {
      const { root, files } = await handle.use(context);
      const folder = insideRoot(root, path);
      const { entries, more } = await files.list(folder, {
        depth,
        limit: MAX,
        skip: NOT_ENTERED,
      });
      const name = shownPath(root, folder);
      if (entries.length === 0) return `${name} is empty.`;
      const lines = entries.map(line);
      if (more) lines.push(`[truncated to ${MAX} entries: list a subfolder, or use a lower depth]`);
      return lines.join('\n');
    },
  });

function line({ path, kind, size }: FileEntry): string {
  switch (kind) {
    case 'directory':
      return `${path}/`;
    case 'link':
      return `${path} (link)`;
    case 'other':
      return `${path} (not a regular file)`;
    case 'file':
      return `${path} (${size} bytes)`;
  }
}
