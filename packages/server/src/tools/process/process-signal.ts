import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { requireProcess } from './require-process.ts';

const SIGNALS = [
  'SIGTERM',
  'SIGINT',
  'SIGKILL',
  'SIGHUP',
  'SIGUSR1',
  'SIGUSR2',
  'SIGSTOP',
  'SIGCONT',
] as const;
const GRACE_MS = 2000;

const Input = z.strictObject({
  process_id: z.string(),
  signal: z.enum(SIGNALS).optional().describe('SIGTERM unless given'),
});

export const processSignal = (handle: WorkspaceHandle): LocalTool =>
  tool({
    name: 'process_signal',
    description: 'Sends a signal to a command in the background and to all that it has started.',
    input: Input,
    idempotent: false,
    async run({ process_id, signal = 'SIGTERM' }) {
      const process = requireProcess((await handle.use()).processes, process_id);
      await process.running.signal(signal);
      // Most end at once, and then the model need not ask.
      const over = Promise.withResolvers<void>();
      const cancel = handle.clock.after(endsBy(signal) ? GRACE_MS : 0, over.resolve);
      await Promise.race([process.running.exit, over.promise]);
      cancel();
      return process.exit === undefined
        ? `${signal} was sent. The process still runs.`
        : `${signal} was sent. The process has ended.`;
    },
  });

const endsBy = (signal: (typeof SIGNALS)[number]) => /TERM|INT|KILL|HUP/.test(signal);
