import { type LocalTool, tool, type ToolContext } from '@chatd/loop';
import type { JsonObject } from '@chatd/protocol';
import { posix } from 'node:path';
import { z } from 'zod';
import { LiveOutput } from '../../workspaces/processes/live-output.ts';
import type { ListedProcess } from '../../workspaces/processes/process-list.ts';
import type { OpenWorkspace } from '../../workspaces/open-workspace.ts';
import { whenAborted } from '../../workspaces/when-aborted.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { exitFields } from './exit-fields.ts';

const DEFAULT_SECONDS = 120;
const MOST_SECONDS = 3600;

const INPUT = z.strictObject({
  command: z.string().min(1).describe('a command line for the shell'),
  timeout: z
    .number()
    .positive()
    .max(MOST_SECONDS)
    .optional()
    .describe(`in seconds, ${DEFAULT_SECONDS} unless given`),
  workdir: z.string().min(1).optional().describe('where to run; the root unless given'),
  run_in_background: z.boolean().optional(),
});

export const execute = (handle: WorkspaceHandle): LocalTool =>
  tool({
    name: 'execute',
    description:
      'Runs a shell command in the workspace and gives its output (both streams) and exit code. When the command ends, whatever it has started ends too: what shall keep running, like a server, is started with run_in_background. After the timeout the command goes on in the background; process_output has its output.',
    input: INPUT,
    idempotent: false,
    async run({ command, timeout = DEFAULT_SECONDS, workdir = '.', run_in_background }, context) {
      const workspace = await handle.use();
      const cwd = posix.resolve(workspace.sandbox.root, workdir);
      const background = run_in_background === true;
      const live = new LiveOutput(handle.clock, (text) => context.publish(text));
      try {
        const started = workspace.processes.start({
          command,
          cwd,
          background,
          onOutput(bytes) {
            workspace.touch();
            if (!background) live.push(bytes);
          },
        });
        if (background) return inBackground(await started);
        return await wait(handle, workspace, started, timeout * 1000, context);
      } finally {
        live.end();
        workspace.touch();
      }
    },
  });

const inBackground = (process: ListedProcess): JsonObject => ({
  process_id: process.id,
  note: 'It runs in the background. process_output shows what it writes, process_signal stops it.',
});

/** Whatever happens in the workspace, this returns when the time is over. */
async function wait(
  handle: WorkspaceHandle,
  workspace: OpenWorkspace,
  started: Promise<ListedProcess>,
  limitMs: number,
  { signal }: ToolContext,
): Promise<JsonObject> {
  const late = Promise.withResolvers<'late'>();
  const aborted = whenAborted(signal);
  const cancel = handle.clock.after(limitMs, () => late.resolve('late'));
  try {
    const process = await Promise.race([started, late.promise, aborted.promise]);
    if (process === 'late' || process === 'aborted') {
      discard(started);
      if (process === 'aborted') throw interrupted('');
      throw new Error(
        `The command could not be started within ${limitMs / 1000} s, so it was not run: the workspace is busy or stuck. Try again, with more time.`,
      );
    }
    const end = await Promise.race([process.running.exit, late.promise, aborted.promise]);
    if (end === 'aborted') {
      process.running.signal('SIGKILL').catch(() => undefined);
      throw interrupted(process.output.text());
    }
    if (end === 'late') {
      process.listed = true;
      process.running.keep().catch(() => undefined);
      return {
        process_id: process.id,
        still_running: true,
        note: `It did not end within ${limitMs / 1000} s and goes on in the background. process_output shows what it writes, process_signal stops it.`,
        output: process.output.text(),
      };
    }
    if (end.signal !== null && workspace.isClosed()) {
      throw new Error(
        `The sandbox of the workspace ended, and the command with it: ${await workspace.sandbox.closed}. Output:\n${process.output.text()}`,
      );
    }
    const { notice } = workspace.sandbox;
    return {
      ...exitFields(end),
      output: process.output.text(),
      ...(notice !== undefined && { note: notice }),
    };
  } finally {
    cancel();
    aborted.release();
  }
}

/** Nobody waits for it any more: it ends as soon as it begins. */
function discard(started: Promise<ListedProcess>): void {
  started.then(({ running }) => running.signal('SIGKILL')).catch(() => undefined);
}

const interrupted = (output: string) =>
  new Error(
    `The command was interrupted and killed.${output === '' ? '' : ` Its output until then:\n${output}`}`,
  );
