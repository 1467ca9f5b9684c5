import type { LocalTool, ToolContext } from '@chatd/loop';
import type { JsonObject } from '@chatd/protocol';
import { posix } from 'node:path';
import { z } from 'zod';
import { LiveOutput } from '../../machine/processes/live-output.ts';
import type { ListedProcess } from '../../machine/processes/process-list.ts';
import type { OpenWorkspace } from '../../workspaces/open-workspace.ts';
import { whenAborted } from '../../machine/when-aborted.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { exitFields } from './exit-fields.ts';
import { agentTool } from '../agent-tool.ts';

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 3600;

const INPUT = z.strictObject({
  command: z.string().min(1).describe('A shell command line'),
  timeout: z
    .number()
    .positive()
    .max(MAX_SECONDS)
    .optional()
    .describe(`In seconds. Default: ${DEFAULT_SECONDS}`),
  workdir: z.string().min(1).optional().describe('Working directory. Default: the root'),
  run_in_background: z.boolean().optional(),
});

export const execute = (handle: WorkspaceHandle): LocalTool =>
  agentTool({
    name: 'execute',
    description:
      'Run a shell command in the workspace and return its output (stdout and stderr) and exit code. When the command ends, its child processes are killed; start servers and other long-running programs with run_in_background. After the timeout, the command continues in the background; read its output with process_output.',
    input: INPUT,
    idempotent: false,
    forDesktops: true,
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
  note: 'Running in the background. Read its output with process_output; stop it with process_signal.',
});

/** Returns when the time is up, whatever happens in the workspace. */
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
        `The command could not be started within ${limitMs / 1000} s and was not run: the workspace is busy or not responding. Try again with a longer timeout.`,
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
        note: `Still running after ${limitMs / 1000} s; it continues in the background. Read its output with process_output; stop it with process_signal.`,
        output: process.output.text(),
      };
    }
    if (end.signal !== null && workspace.isClosed()) {
      throw new Error(
        `The sandbox of the workspace ended while the command was running: ${await workspace.sandbox.closed}. Output:\n${process.output.text()}`,
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

/** Kills a command that starts after the time is up. */
function discard(started: Promise<ListedProcess>): void {
  started.then(({ running }) => running.signal('SIGKILL')).catch(() => undefined);
}

const interrupted = (output: string) =>
  new Error(
    `The command was interrupted and killed.${output === '' ? '' : ` Output so far:\n${output}`}`,
  );
