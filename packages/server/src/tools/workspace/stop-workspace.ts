import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import type { ChatWorkspaceHandle } from './chat-workspace-handle.ts';

const Input = z.strictObject({});

export const stopWorkspace = (handle: ChatWorkspaceHandle): LocalTool =>
  tool({
    name: 'stop_workspace',
    description:
      "Stop this chat's workspace. Its processes end; its files are kept. Start it again with start_workspace.",
    input: Input,
    idempotent: true,
    async run() {
      const { name } = await handle.workspaces.stop(await handle.row());
      return `The workspace ${name} was stopped. Its files are kept.`;
    },
  });
