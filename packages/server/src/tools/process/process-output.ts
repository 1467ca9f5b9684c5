import type { LocalTool } from '@chatd/loop';
import { z } from 'zod';
import { whenAborted } from '../../machine/when-aborted.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { exitFields } from './exit-fields.ts';
import { requireProcess } from './require-process.ts';
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
    async run({ process_id, offset = 0, wait = 0 }, { signal }) {
      const process = requireProcess((await handle.use()).processes, process_id);
      if (wait > 0 && process.exit === undefined) {
        const over = Promise.withResolvers<void>();
        const aborted = whenAborted(signal);
        const cancel = handle.clock.after(wait * 1000, over.resolve);
        await Promise.race([process.running.exit, over.promise, aborted.promise]);
        cancel();
        aborted.release();
        signal.throwIfAborted();
      }
      return {
        ...(process.exit === undefined ? { still_running: true } : exitFields(process.exit)),
        next_offset: process.output.total,
        output: process.output.text(offset),
      };
    },
  });
