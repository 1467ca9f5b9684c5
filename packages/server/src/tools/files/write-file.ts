import type { LocalTool } from '@chatd/loop';
import { z } from 'zod';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { insideRoot, shownPath } from '../../workspaces/files/path.ts';
import { agentTool } from '../agent-tool.ts';

const Input = z.strictObject({ path: z.string().min(1), content: z.string() });

export const writeFile = (handle: WorkspaceHandle): LocalTool =>
  agentTool({
    name: 'write_file',
    description:
      'Write a whole file of the workspace. Creates missing folders and replaces an existing file. To change part of a file, use edit_files.',
    input: Input,
    idempotent: true,
    forDesktops: true,
    async run({ path, content }, context) {
      const workspace = await handle.use(context);
      await handle.beforeChange(workspace, context.signal);
      const { root, files } = workspace;
      const absolute = insideRoot(root, path);
      const bytes = Buffer.from(content);
      const created = await files.write(absolute, bytes);
      const what = created ? 'a new file' : 'replaced';
      return `Wrote ${bytes.length} bytes to ${shownPath(root, absolute)} (${what}).`;
    },
  });
