import type { LocalTool } from '@chatd/loop';
import { z } from 'zod';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { requireProcess } from './require-process.ts';
import { waitForExit } from './wait-for-exit.ts';
import { agentTool } from '../agent-tool.ts';

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
  signal: z.enum(SIGNALS).optional().describe('Default: SIGTERM'),
});

export const processSignal = (handle: WorkspaceHandle): LocalTool =>
  agentTool({
    name: 'process_signal',
    description: 'Send a signal to a background command and its child processes.',
    input: Input,
    idempotent: false,
    forDesktops: true,
    async run({ process_id, signal = 'SIGTERM' }, context) {
      const { commands } = await handle.use(context);
      requireProcess(await commands.find(process_id), process_id);
      await commands.signal(process_id, signal);
      // Most processes end at once, which saves the model a second call.
      const graceMs = endsBy(signal) ? GRACE_MS : 0;
      const exit = await waitForExit(handle.clock, commands, process_id, graceMs, context);
      return exit === undefined
        ? `${signal} was sent. The process is still running.`
        : `${signal} was sent. The process has ended.`;
    },
  });

const endsBy = (signal: (typeof SIGNALS)[number]) => /TERM|INT|KILL|HUP/.test(signal);
