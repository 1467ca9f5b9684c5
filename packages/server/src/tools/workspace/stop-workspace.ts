import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import type { ChatWorkspaceHandle } from './chat-workspace-handle.ts';

const Input = z.strictObject({});

export const stopWorkspace = (handle: ChatWorkspaceHandle): LocalTool =>
  tool({
    name: 'stop_workspace',
    description:
      "Stops this chat's workspace: what runs in it ends, its files are kept. start_workspace starts it again.",
    input: Input,
    idempotent: true,
    async run() {
      const { name } = await handle.workspaces.stop(await handle.row());
      return `The workspace ${name} is stopped. Its files are kept.`;
    },
  });
