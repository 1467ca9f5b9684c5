import type { LocalTool } from '@chatd/loop';
import { z } from 'zod';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { exitFields } from './exit-fields.ts';
import { agentTool } from '../agent-tool.ts';

const MAX_COMMAND_LENGTH = 300;

const Input = z.strictObject({});

export const processList = (handle: WorkspaceHandle): LocalTool =>
  agentTool({
    name: 'process_list',
    description: 'List the background commands of the workspace, including recently ended ones.',
    input: Input,
    idempotent: true,
    readOnly: true,
    forDesktops: true,
    async run(_, context) {
      const { commands } = await handle.use(context);
      const now = handle.clock.now();
      return {
        processes: (await commands.list()).map((process) => ({
          process_id: process.id,
          command: process.command.slice(0, MAX_COMMAND_LENGTH),
          workdir: process.cwd,
          seconds: Math.round(((process.endedAt ?? now) - process.startedAt) / 1000),
          ...(process.exit === undefined ? { still_running: true } : exitFields(process.exit)),
          output_bytes: process.outputBytes,
        })),
      };
    },
  });
