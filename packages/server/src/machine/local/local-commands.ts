import { randomBytes } from 'node:crypto';
import type { Clock } from '@chatd/loop';
import {
  type ProcessExit,
  type RunningProcess,
  type Sandbox,
  SandboxFileError,
} from '../drivers/driver.ts';
import {
  CallLost,
  type Command,
  type CommandInfo,
  type CommandOutput,
  type CommandRequest,
  type Commands,
} from '../machine.ts';
import { whenAborted } from '../when-aborted.ts';
import { follow } from './follow-output.ts';
import type { Journal, StartedCommand } from './journal.ts';
import { OutputFile } from './output-file.ts';

const ENDED_KEPT = 50;
const MAX_RUNNING = 64;

/** A command of this process, or one that ended in an earlier process and is in the journal. */
interface KnownCommand extends Omit<StartedCommand, 'call'> {
  readonly call: string | undefined;
  readonly output: OutputFile;
  readonly running: RunningProcess | undefined;
  readonly ended: PromiseWithResolvers<ProcessExit>;
  exit: ProcessExit | undefined;
  endedAt: number | undefined;
  /** Whether the agent knows its id. Commands that end within their wait time need none. */
  listed: boolean;
}

export interface LocalCommandsOptions {
  readonly workspaceId: string;
  readonly sandbox: Sandbox;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Called when files may have changed. */
  readonly onChange: () => void;
}

/** The commands of an open workspace, running and ended. */
export class LocalCommands implements Commands {
  readonly #options: LocalCommandsOptions;
  readonly #all = new Map<string, KnownCommand>();
  readonly #byCall = new Map<string, Promise<KnownCommand>>();

  constructor(options: LocalCommandsOptions) {
    this.#options = options;
    void options.sandbox.closed.then(() => this.#closeOutputs());
  }

  async start(request: CommandRequest): Promise<Command> {
    const isAttached = request.call !== undefined && this.#isKnown(request.call);
    const known = await this.#startOrFind(request);
    const left = new AbortController();
    const following = follow(known, request.from ?? 0, request.onOutput, left.signal);
    const { sandbox } = this.#options;
    const exit = following.then(async () => ({
      ...(await known.ended.promise),
      notice: sandbox.notice,
    }));
    // A caller that leaves does not wait for it.
    exit.catch(() => undefined);
    return { id: known.id, isAttached, exit, leave: () => left.abort() };
  }

  async find(id: string): Promise<CommandInfo | undefined> {
    const known = this.#all.get(id);
    return known && infoOf(known);
  }

  async list(): Promise<readonly CommandInfo[]> {
    return [...this.#all.values()].filter(({ listed }) => listed).map(infoOf);
  }

  async output(id: string, after = 0): Promise<CommandOutput | undefined> {
    const known = this.#all.get(id);
    if (known === undefined) return undefined;
    const next = known.output.total;
    const text = await known.output.text(after);
    return { text, next, info: infoOf(known) };
  }

  async exit(id: string, signal: AbortSignal): Promise<ProcessExit | undefined> {
    const known = this.#all.get(id);
    if (known === undefined) return undefined;
    const aborted = whenAborted(signal);
    try {
      const end = await Promise.race([known.ended.promise, aborted.promise]);
      return end === 'aborted' ? undefined : end;
    } finally {
      aborted.release();
    }
  }

  async signal(id: string, name: NodeJS.Signals): Promise<void> {
    await this.#all.get(id)?.running?.signal(name);
  }

  async keep(id: string): Promise<void> {
    const known = this.#all.get(id);
    if (known === undefined) return;
    known.listed = true;
    await known.running?.keep();
  }

  /** Kills the calls that still run in the foreground, and forgets them. Returns the output files still in use. */
  settle(calls: ReadonlySet<string>): string[] {
    for (const known of this.#all.values()) {
      if (known.call === undefined || !calls.has(known.call)) continue;
      this.#byCall.delete(known.call);
      if (known.listed) continue;
      if (known.exit === undefined) known.running?.signal('SIGKILL').catch(() => undefined);
      else this.#forget(known);
    }
    return [...this.#all.values()].map(({ file }) => file);
  }

  #isKnown(call: string): boolean {
    const { journal, workspaceId } = this.#options;
    return this.#byCall.has(call) || journal.find(workspaceId, call) !== undefined;
  }

  async #startOrFind(request: CommandRequest): Promise<KnownCommand> {
    const { call } = request;
    if (call === undefined) return await this.#start(request);
    const earlier = this.#byCall.get(call);
    if (earlier !== undefined) return await earlier;
    const found = this.#restore(call);
    if (found === undefined && request.attach === true) {
      throw new CallLost('The machine does not know the call.');
    }
    const starting = found === undefined ? this.#start(request) : Promise.resolve(found);
    this.#byCall.set(call, starting);
    starting.catch(() => this.#byCall.delete(call));
    return await starting;
  }

  /** The command of a call that an earlier process of the machine ran. Undefined: the call was never accepted. */
  #restore(call: string): KnownCommand | undefined {
    const { journal, workspaceId } = this.#options;
    const entry = journal.find(workspaceId, call);
    if (entry === undefined) {
      if (journal.isSettled(call)) throw new CallLost('The result of the call is already stored.');
      return undefined;
    }
    if (entry.kind !== 'command' || entry.ended === undefined) {
      throw new CallLost('The machine restarted while the command was running.');
    }
    const { started, ended } = entry;
    const inline = ended.inline === undefined ? undefined : Buffer.from(ended.inline, 'base64');
    const known: KnownCommand = {
      ...started,
      output: OutputFile.restore(journal.path(started.file), ended.outputBytes, inline),
      running: undefined,
      ended: Promise.withResolvers(),
      exit: ended.exit,
      endedAt: ended.endedAt,
      listed: started.background,
    };
    known.ended.resolve(ended.exit);
    this.#all.set(known.id, known);
    return known;
  }

  async #start(request: CommandRequest): Promise<KnownCommand> {
    const { call, command, cwd, background, keepAfterMs } = request;
    const { sandbox, journal, workspaceId, clock, onChange } = this.#options;
    this.#refuseTooMany();
    const file = journal.newFile();
    const started = {
      workspace: workspaceId,
      file,
      // Random, so that an old id never refers to a different command.
      id: `p${randomBytes(4).toString('hex')}`,
      command,
      cwd,
      startedAt: clock.now(),
      background,
    };
    if (call !== undefined) await this.#accept({ ...started, call });
    const output = new OutputFile(journal.path(file));
    const running = await sandbox
      .run({
        argv: [sandbox.shell, '-c', `exec 2>&1; ${command}`],
        cwd,
        background,
        onOutput(bytes) {
          output.append(bytes);
          onChange();
        },
      })
      .catch(async (error: unknown) => {
        if (call !== undefined) await this.#notStarted({ ...started, call }, error);
        throw error;
      });
    const known: KnownCommand = {
      ...started,
      call,
      output,
      running,
      ended: Promise.withResolvers(),
      exit: undefined,
      endedAt: undefined,
      listed: background,
    };
    this.#all.set(known.id, known);
    if (call !== undefined && journal.isSettled(call)) this.settle(new Set([call]));
    onChange();
    const cancel =
      keepAfterMs === undefined
        ? undefined
        : clock.after(keepAfterMs, () => void this.keep(known.id).catch(() => undefined));
    void running.exit.then((exit) => {
      cancel?.();
      return this.#ended(known, exit);
    });
    return known;
  }

  async #accept(started: StartedCommand): Promise<void> {
    const { journal } = this.#options;
    await journal.start(started);
    if (!journal.isSettled(started.call)) return;
    await journal.drop(started);
    throw new CallLost('The call was given up before it started.');
  }

  #refuseTooMany(): void {
    const running = [...this.#all.values()].filter(({ exit }) => exit === undefined).length;
    if (running < MAX_RUNNING) return;
    throw new Error(
      `${running} commands are already running in this workspace. Stop some with process_signal first; process_list lists them.`,
    );
  }

  /** A refusal of the sandbox means that nothing ran. After any other error, the command may have run. */
  async #notStarted(started: StartedCommand, error: unknown): Promise<void> {
    const { journal } = this.#options;
    if (error instanceof SandboxFileError) await journal.drop(started).catch(() => undefined);
    else journal.lose(started);
  }

  async #ended(known: KnownCommand, exit: ProcessExit): Promise<void> {
    const { journal, clock, onChange } = this.#options;
    known.exit = exit;
    known.endedAt = clock.now();
    onChange();
    const { call, output } = known;
    if (call !== undefined && this.#byCall.has(call)) {
      const ended = {
        exit,
        endedAt: known.endedAt,
        outputBytes: output.total,
        ...(output.inline && { inline: output.inline.toString('base64') }),
      };
      // Without the record, the call is lost if the machine restarts. The result can still be stored before that.
      await journal.end({ ...known, call }, ended).catch(() => undefined);
    }
    known.ended.resolve(exit);
    if (!known.listed) await output.close();
    this.#prune();
  }

  /** Keeps calls whose result is not stored, and recently ended commands. */
  #prune(): void {
    const ended = [...this.#all.values()].filter(
      ({ exit, call }) => exit !== undefined && (call === undefined || !this.#byCall.has(call)),
    );
    for (const known of ended.filter(({ listed, call }) => !listed && call !== undefined))
      this.#forget(known);
    const kept = ended.filter(({ id }) => this.#all.has(id));
    for (const known of kept.slice(0, Math.max(0, kept.length - ENDED_KEPT))) this.#forget(known);
  }

  #forget(known: KnownCommand): void {
    this.#all.delete(known.id);
    known.output.delete().catch(() => undefined);
  }

  async #closeOutputs(): Promise<void> {
    for (const { output } of this.#all.values()) await output.close().catch(() => undefined);
  }
}

const infoOf = (known: KnownCommand): CommandInfo => ({
  id: known.id,
  command: known.command,
  cwd: known.cwd,
  startedAt: known.startedAt,
  endedAt: known.endedAt,
  exit: known.exit,
  outputBytes: known.output.total,
});
