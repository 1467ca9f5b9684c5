import { HandedOver, type LocalTool, type ToolContext, UNKNOWN_OUTCOME } from '@chatd/loop';
import type { JsonObject } from '@chatd/protocol';
import { posix } from 'node:path';
import { z } from 'zod';
import { SandboxClosed } from '../../machine/drivers/driver.ts';
import {
  CallLost,
  type Command,
  type Commands,
  type HostedWorkspace,
  MachineOffline,
} from '../../machine/machine.ts';
import { LiveOutput } from '../../machine/processes/live-output.ts';
import { OutputBuffer } from '../../machine/processes/output-buffer.ts';
import { whenAborted } from '../../machine/when-aborted.ts';
import { DatabaseUnavailable } from '../../store/unavailable.ts';
import { agentTool } from '../agent-tool.ts';
import { waitingFor } from '../waiting-for.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { exitFields } from './exit-fields.ts';

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 3600;
/** Minimum time to get the result of a command from a machine that restarted. */
const ATTACH_MS = 10_000;
const CAPS = { head: 32 * 1024, tail: 64 * 1024 };

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
    // Idempotent: a repeated call attaches to the command that it started.
    idempotent: true,
    forDesktops: true,
    async run({ command, timeout = DEFAULT_SECONDS, workdir = '.', run_in_background }, context) {
      const limitMs = timeout * 1000;
      const called = handle.clock.now();
      const workspace = await orUnknown(handle.use(context, limitMs));
      const waited = handle.clock.now() - called;
      await orUnknown(handle.beforeChange(workspace, context.signal));
      const until = handle.clock.now() + limitMs - waited;
      const background = run_in_background === true;
      const release = handle.hold();
      const live = new LiveOutput(handle.clock, (text) => context.publish(text));
      const output = new OutputBuffer(background ? { head: 1, tail: 1 } : CAPS);
      let lostMachine: string | undefined;
      const follow = async (on: HostedWorkspace, ms: number, attach: boolean) => {
        const giveUp = new AbortController();
        const started = on.commands.start({
          call: handle.callKey(context),
          command,
          cwd: posix.resolve(on.root, workdir),
          background,
          from: output.total,
          attach,
          // A command in the background has no time limit.
          signal: background ? undefined : giveUp.signal,
          keepAfterMs: background ? undefined : ms,
          onWaiting: (name) => {
            lostMachine = name;
            context.publish(waitingFor(name));
          },
          onOutput(bytes, at) {
            if (background) return;
            if (at > output.total) output.skip(at - output.total);
            output.push(bytes);
            live.push(bytes);
          },
        });
        const lost = () => lostMachine;
        const waiting = { workspace: on, started, giveUp, limitMs: ms, output, lost };
        const result = background
          ? inBackground(await started)
          : await wait(handle, waiting, context);
        if (lostMachine !== undefined || (await started).isAttached) handle.count('recovered');
        return result;
      };
      try {
        return await follow(workspace, limitMs, false).catch(async (error: unknown) => {
          if (!isRestart(error) || context.signal.aborted) throw error;
          // The machine restarted. Its journal has the result of a command that had ended.
          const ms = Math.max(until - handle.clock.now(), ATTACH_MS);
          const reopened = await handle.use(context, ms).catch(() => {
            throw error;
          });
          return await follow(reopened, ms, error instanceof CallLost).catch((second: unknown) => {
            throw second instanceof CallLost ? error : second;
          });
        });
      } catch (error) {
        if (error instanceof CallLost) handle.count('lost');
        throw explained(error);
      } finally {
        release();
        live.end();
      }
    },
  });

function inBackground(command: Command): JsonObject {
  command.leave();
  return {
    process_id: command.id,
    note: 'Running in the background. Read its output with process_output; stop it with process_signal.',
  };
}

interface Waiting {
  readonly workspace: HostedWorkspace;
  readonly started: Promise<Command>;
  /** Ends waiting for the machine to start the command. */
  readonly giveUp: AbortController;
  readonly limitMs: number;
  /** The output so far. */
  readonly output: OutputBuffer;
  /** The name of the machine, if its connection was lost after the command was sent. */
  readonly lost: () => string | undefined;
}

/** Returns when the time is up, whatever happens in the workspace. */
async function wait(
  handle: WorkspaceHandle,
  { workspace, started, giveUp, limitMs, output, lost }: Waiting,
  context: ToolContext,
): Promise<JsonObject> {
  const { signal } = context;
  const { commands } = workspace;
  const discard = () => kill(commands, started, () => handle.isTakenOver(context));
  const late = Promise.withResolvers<'late'>();
  const aborted = whenAborted(signal);
  const cancel = handle.clock.after(limitMs, () => late.resolve('late'));
  try {
    const command = await Promise.race([started, late.promise, aborted.promise]);
    if (command === 'late' || command === 'aborted') {
      giveUp.abort(new Error('the time for the command is up'));
      if (continues(signal)) void leave(started);
      else void discard();
      if (command === 'aborted') throw interrupted('');
      const machine = lost();
      if (machine !== undefined) {
        throw new MachineOffline(`The connection to the machine ${machine} was lost.`);
      }
      throw new Error(
        `The command could not be started within ${limitMs / 1000} s: the workspace is busy or not responding. ${UNKNOWN} Try again with a longer timeout.`,
      );
    }
    const end = await Promise.race([command.exit, late.promise, aborted.promise]);
    if (end === 'aborted') {
      command.leave();
      if (!continues(signal)) void discard();
      throw interrupted(output.text());
    }
    if (end === 'late') {
      command.leave();
      commands.keep(command.id).catch(() => undefined);
      return {
        process_id: command.id,
        still_running: true,
        note: `Still running after ${limitMs / 1000} s; it continues in the background. Read its output with process_output; stop it with process_signal.`,
        output: output.text(),
      };
    }
    if (end.signal !== null && workspace.isClosed()) {
      throw new Error(
        `The sandbox of the workspace ended while the command was running: ${await workspace.closed}. Output:\n${output.text()}`,
      );
    }
    return {
      ...exitFields(end),
      output: output.text(),
      ...(end.notice !== undefined && { note: end.notice }),
    };
  } finally {
    cancel();
    aborted.release();
  }
}

/** Another process continues the turn, and attaches to the command. */
const continues = (signal: AbortSignal) => signal.aborted && signal.reason instanceof HandedOver;

async function leave(started: Promise<Command>): Promise<void> {
  (await started.catch(() => undefined))?.leave();
}

/**
 * Kills a command, also one that starts later. A process that was frozen may not know yet that another one has taken over
 * the call. If the command cannot be killed now, the machine kills it when the call is settled.
 */
async function kill(
  commands: Commands,
  started: Promise<Command>,
  isTakenOver: () => Promise<boolean>,
): Promise<void> {
  try {
    const command = await started;
    command.leave();
    if (!(await isTakenOver())) await commands.signal(command.id, 'SIGKILL');
  } catch {
    // Nothing was started, or it is not known.
  }
}

/** A request may have reached the machine without an answer. */
const UNKNOWN = 'It is unknown whether the command was run.';

const isRestart = (error: unknown) => error instanceof CallLost || error instanceof SandboxClosed;

const interrupted = (output: string) =>
  new Error(
    `The command was interrupted and killed.${output === '' ? '' : ` Output so far:\n${output}`}`,
  );

/** Before the command is sent. The replica that began the call may have sent it. */
async function orUnknown<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof DatabaseUnavailable ? explained(error) : error;
  }
}

function explained(error: unknown): unknown {
  if (error instanceof CallLost) return new Error(UNKNOWN_OUTCOME, { cause: error });
  if (error instanceof MachineOffline || error instanceof SandboxClosed) {
    return new Error(`${error.message} ${UNKNOWN}`, { cause: error });
  }
  if (error instanceof DatabaseUnavailable) {
    return new Error(`${error.message}. ${UNKNOWN}`, { cause: error });
  }
  return error;
}
