import type { LocalTool } from '@chatd/loop';
import { z } from 'zod';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { exitFields } from './exit-fields.ts';
import { requireProcess } from './require-process.ts';
import { waitForExit } from './wait-for-exit.ts';
import { agentTool } from '../agent-tool.ts';

const MAX_SECONDS = 600;

const Input = z.strictObject({
  process_id: z.string(),
  offset: z.int().min(0).optional().describe('The next_offset of an earlier result'),
  wait: z.number().min(0).max(MAX_SECONDS).optional().describe('In seconds'),
});

export const processOutput = (handle: WorkspaceHandle): LocalTool =>
  agentTool({
    name: 'process_output',
    description:
      'Read the output of a background command: its beginning and end, or only what came after an offset. With wait, first wait up to that many seconds for the command to end.',
    input: Input,
    idempotent: true,
    readOnly: true,
    forDesktops: true,
    async run({ process_id, offset = 0, wait = 0 }, context) {
      const { commands } = await handle.use(context);
      if (wait > 0) await waitForExit(handle.clock, commands, process_id, wait * 1000, context);
      const { info, next, text } = requireProcess(
        await commands.output(process_id, offset),
        process_id,
      );
      return {
        ...(info.exit === undefined ? { still_running: true } : exitFields(info.exit)),
        next_offset: next,
        output: text,
      };
    },
  });
