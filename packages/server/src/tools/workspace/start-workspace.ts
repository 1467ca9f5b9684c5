import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import { describe, setupResult } from './describe-workspace.ts';
import type { ChatWorkspaceHandle } from './chat-workspace-handle.ts';

const Input = z.strictObject({});

export const startWorkspace = (handle: ChatWorkspaceHandle): LocalTool =>
  tool({
    name: 'start_workspace',
    description: "Start this chat's stopped workspace. If its setup failed, repeat the setup.",
    input: Input,
    idempotent: true,
    async run(_, context) {
      const row = await handle.workspaces.restart(await handle.row());
      return row.status === 'ready'
        ? await describe(handle, row)
        : await setupResult(handle, row, context);
    },
  });
