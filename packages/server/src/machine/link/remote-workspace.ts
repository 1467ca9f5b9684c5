import {
  CheckpointsUnavailable,
  type HostedCheckpoints,
} from '../checkpoints/hosted-checkpoints.ts';
import type {
  Connection,
  ConnectionHandlers,
  ProcessExit,
  ProcessRequest,
  RunningProcess,
  SandboxFiles,
} from '../drivers/driver.ts';
import { PortUnavailable, SandboxClosed, SandboxFileError } from '../drivers/driver.ts';
import {
  CallLost,
  type CallOutcome,
  type Command,
  type CommandExit,
  type CommandRequest,
  type Commands,
  type DesktopClient,
  type DesktopHandlers,
  type DesktopLink,
  type FileToWrite,
  type HostedDesktop,
  type HostedPorts,
  type HostedTerminals,
  type HostedWorkspace,
  type MachineOffline,
  type TerminalView,
  type TerminalViewer,
} from '../machine.ts';
import { LinkLost } from './channel.ts';
import type { LinkClient, RequestOptions } from './link-client.ts';
import {
  CommandExit as CommandExitOf,
  DesktopSay,
  Exit,
  type OperationName,
  type Params,
  parsed,
  type Result,
} from './operations.ts';
import { streamedConnection } from './streamed-connection.ts';

/** The way to the machine of a workspace. */
export interface MachineLinks {
  readonly name: string;
  /** An open link, or the next one. Throws `MachineOffline` if there is none within `waitMs`. */
  link(signal?: AbortSignal, waitMs?: number): Promise<LinkClient>;
  /** A command is followed over another link. */
  reattached(): void;
  /** The error of a request that is not repeated. */
  cutOff(): MachineOffline;
}

type End = { readonly value: unknown } | { readonly error: Error };
type InWorkspace<Name extends OperationName> = Omit<Params<Name>, 'workspace'>;

/** Lost connections after which a request fails. */
const MAX_TRIES = 5;
const KILLED: ProcessExit = { code: null, signal: 'SIGKILL' };

/** An open workspace of a machine. After a lost connection, it attaches to the same sandbox over the next one. */
export class RemoteWorkspace implements HostedWorkspace {
  readonly id: string;
  /** The sandbox. The next one of the same workspace has another. */
  readonly instance: string;
  readonly root: string;
  readonly shell: string;
  readonly files: SandboxFiles;
  readonly commands: Commands;
  readonly terminals: HostedTerminals;
  readonly desktop: HostedDesktop;
  readonly ports: HostedPorts;
  readonly checkpoints: HostedCheckpoints;
  readonly #machine: MachineLinks;
  readonly #attached = new WeakMap<LinkClient, Promise<void>>();
  readonly #closed = Promise.withResolvers<string>();
  #reason: string | undefined;

  constructor(machine: MachineLinks, opened: NonNullable<Result<'open'>>) {
    this.#machine = machine;
    this.id = opened.workspace;
    this.instance = opened.instance;
    this.root = opened.root;
    this.shell = opened.shell;
    this.files = this.#files();
    this.commands = this.#commands();
    this.terminals = this.#terminals();
    this.desktop = this.#desktop();
    this.checkpoints = this.#checkpoints();
    this.ports = {
      list: async () => (await this.#request('ports', {}).catch(portsUnknown)).result,
      connect: (port, handlers) => this.#connectPort(port, handlers).catch(portsUnknown),
    };
  }

  readonly isClosed = (): boolean => this.#reason !== undefined;

  get closed(): Promise<string> {
    return this.#closed.promise;
  }

  /** Call when the workspace is open on a link. `ended` resolves when that ends. */
  attach(link: LinkClient, ended: Promise<End>): void {
    this.#attached.set(link, Promise.resolve());
    // A lost link does not close the sandbox.
    const endWith = (end: End) => {
      if ('value' in end) this.end(typeof end.value === 'string' ? end.value : 'it was closed');
    };
    void ended.then(endWith);
  }

  end(reason: string): void {
    this.#reason ??= reason;
    this.#closed.resolve(this.#reason);
  }

  async run(request: ProcessRequest): Promise<RunningProcess> {
    const { argv, cwd, env, stdin, background, input, onOutput } = request;
    const exit = Promise.withResolvers<ProcessExit>();
    const link = await this.#link();
    const { stream } = await this.#lostMeans(
      link.open('run', this.#params<'run'>({ argv: [...argv], cwd, env, background, input }), {
        bytes: stdin,
        onData: (bytes, mark) => onOutput(bytes, mark === 1 ? 'stderr' : 'stdout'),
        onEnd: (end) => exit.resolve(exitOf(end) ?? KILLED),
      }),
    );
    return {
      exit: exit.promise,
      async signal(signal) {
        stream.tell({ signal });
      },
      async keep() {
        stream.tell({ keep: true });
      },
      write: (bytes) => stream.write(bytes),
      endInput: () => stream.tell({ end_input: true }),
    };
  }

  async revision(): Promise<number> {
    return (await this.#request('revision', {})).result;
  }

  async outcome(call: string): Promise<CallOutcome> {
    return (await this.#request('outcome', { call })).result;
  }

  async writeAll(call: string, files: readonly FileToWrite[], result: string): Promise<string> {
    const answer = await this.#request(
      'write_all',
      { call, files: files.map(({ path, bytes }) => ({ path, length: bytes.length })), result },
      { bytes: Buffer.concat(files.map(({ bytes }) => bytes)) },
    );
    return answer.result.result;
  }

  #files(): SandboxFiles {
    return {
      read: async (path, from, length) => {
        const { result, bytes } = await this.#request('read', { path, from, length });
        if (bytes.length > length) throw new Error('The machine sent more than was asked for.');
        return { size: result.size, bytes };
      },
      write: async (path, bytes, expected) => {
        const written =
          expected === undefined
            ? await this.#request('write', { path }, { bytes })
            : await this.#request('replace', { path, expected }, { bytes }).catch(replaceUnknown);
        return written.result.created;
      },
      stat: async (path) => (await this.#request('stat', { path })).result ?? undefined,
      list: async (path, { depth, limit, skip }) =>
        (await this.#request('list', { path, depth, limit, skip: [...skip] })).result,
    };
  }

  #checkpoints(): HostedCheckpoints {
    const ask = async <Name extends OperationName>(op: Name, params: InWorkspace<Name>) =>
      await this.#request(op, params).catch(checkpointsUnknown);
    return {
      save: async (id, base) => (await ask('save_checkpoint', { id, base })).result,
      async diff(from, to) {
        const { result, bytes } = await ask('diff_checkpoints', { from, to });
        return { ...result, patch: bytes.toString('utf8') };
      },
      conflicts: async (states) => (await ask('checkpoint_conflicts', { ...states })).result,
      restore: async (id, target, expected) =>
        (await ask('restore_checkpoint', { id, target, expected })).result,
      prune: async ({ keep, remove, before }) => {
        const bytes = Buffer.from(JSON.stringify({ keep, remove }));
        await this.#request('prune_checkpoints', { before }, { bytes }).catch(checkpointsUnknown);
      },
    };
  }

  #commands(): Commands {
    return {
      start: (request) => this.#start(request),
      find: async (id) => known((await this.#request('find', { id })).result),
      list: async () => (await this.#request('commands', {})).result.map((info) => known(info)),
      output: async (id, after) => {
        const { result } = await this.#request('output', { id, after });
        return result === null ? undefined : { ...result, info: known(result.info) };
      },
      exit: async (id, signal) => {
        try {
          return (await this.#request('exit', { id }, { signal })).result ?? undefined;
        } catch (error) {
          if (signal.aborted) return undefined;
          throw error;
        }
      },
      signal: async (id, name) => void (await this.#request('signal', { id, name })),
      keep: async (id) => void (await this.#request('keep', { id })),
    };
  }

  /** Follows the command over as many connections as it takes. Each continues after the bytes that arrived. */
  async #start(request: CommandRequest): Promise<Command> {
    const { call, command, cwd, background, onOutput, keepAfterMs } = request;
    const started = Promise.withResolvers<Pick<Command, 'id' | 'isAttached'>>();
    const exit = Promise.withResolvers<CommandExit>();
    const left = new AbortController();
    let attach = request.attach ?? false;
    let position = request.from ?? 0;
    let lastMark: number | undefined;
    let busy: Promise<void> | undefined;

    const follow = async (): Promise<CommandExit> => {
      // A command that was accepted is waited for until the caller leaves.
      const { signal } = attach ? { signal: undefined } : request;
      const link = await this.#link(
        signal === undefined ? left.signal : AbortSignal.any([left.signal, signal]),
        attach || signal !== undefined ? Infinity : undefined,
      );
      const ended = Promise.withResolvers<End>();
      lastMark = undefined;
      const params = {
        call,
        command,
        cwd,
        background,
        from: position,
        attach,
        keep_after_ms: keepAfterMs,
      };
      const { stream, ...answer } = await link.open('start', this.#params<'start'>(params), {
        signal: left.signal,
        onData: (bytes, mark) => {
          // The pieces of one write have the same mark.
          if (mark !== lastMark && mark >= position) position = mark;
          lastMark = mark;
          const at = position;
          position += bytes.length;
          const taken = onOutput(bytes, at);
          if (taken !== undefined) busy = taken;
          return taken;
        },
        onEnd: ended.resolve,
      });
      const leave = () => {
        stream.leave();
        ended.resolve({ error: left.signal.reason as Error });
      };
      left.signal.addEventListener('abort', leave, { once: true });
      attach = true;
      const { id, attached = false } = parsed('start', answer).result;
      started.resolve({ id, isAttached: attached });
      const end = await ended.promise;
      await busy?.catch(() => undefined);
      if ('error' in end) throw end.error;
      return CommandExitOf.parse(end.value);
    };

    const followAll = async (): Promise<CommandExit> => {
      for (;;) {
        try {
          return await follow();
        } catch (error) {
          if (left.signal.aborted || !(error instanceof LinkLost)) throw error;
          if (call === undefined) throw this.#machine.cutOff();
          request.onWaiting?.(this.#machine.name);
          this.#machine.reattached();
        }
      }
    };

    void followAll().then(exit.resolve, (error: unknown) => {
      // The sandbox ended while the connection was lost, and its commands with it.
      const reason = error instanceof SandboxClosed && attach ? new CallLost(error.message) : error;
      started.reject(reason);
      exit.reject(reason);
    });
    // The caller may only wait for the start.
    exit.promise.catch(() => undefined);
    return {
      ...(await started.promise),
      exit: exit.promise,
      leave: () => left.abort(new Error('the command is no longer followed')),
    };
  }

  #terminals(): HostedTerminals {
    return {
      list: async () => (await this.#request('terminals', {})).result,
      open: async (id, size) => {
        const link = await this.#link();
        const params = this.#params<'open_terminal'>({ id, size });
        return parsed('open_terminal', await this.#lostMeans(link.request('open_terminal', params)))
          .result;
      },
      attach: (id, seen, viewer) => this.#attachTerminal(id, seen, viewer),
    };
  }

  async #attachTerminal(
    id: string,
    seen: number | undefined,
    viewer: TerminalViewer,
  ): Promise<TerminalView | undefined> {
    const link = await this.#link();
    let exists = true;
    const { stream, ...answer } = await this.#lostMeans(
      link.open('attach_terminal', this.#params<'attach_terminal'>({ id, seen }), {
        onData: (bytes) => viewer.onOutput(bytes),
        onEnd: (end) => {
          if (exists) viewer.onEnd(exitOf(end));
        },
      }),
    );
    const { result } = parsed('attach_terminal', answer);
    exists = result !== null;
    if (result === null) return undefined;
    return {
      ...result,
      write: (bytes) => stream.write(bytes),
      resize: (resize) => stream.tell({ resize }),
      flow: (flow) => stream.tell({ flow }),
      end: () => stream.tell({ end: true }),
      leave: () => stream.leave(),
    };
  }

  #desktop(): HostedDesktop {
    return {
      start: async (size) => void (await this.#request('start_desktop', { size })),
      state: async () => (await this.#request('desktop', {})).result ?? undefined,
      connect: (client, handlers) => this.#connectDesktop(client, handlers),
    };
  }

  async #connectDesktop(client: DesktopClient, handlers: DesktopHandlers): Promise<DesktopLink> {
    const link = await this.#link();
    const { stream } = await this.#lostMeans(
      link.open('connect_desktop', this.#params<'connect_desktop'>({ client }), {
        onData: (bytes) => void handlers.onData(bytes),
        onSay: (message) => {
          const { state, yours } = DesktopSay.parse(message);
          handlers.onState(state, yours);
        },
        onEnd: () => handlers.onClose(),
      }),
    );
    let isClosed = false;
    const connection: Connection = {
      write: (bytes) => stream.write(bytes),
      close() {
        if (isClosed) return;
        isClosed = true;
        stream.leave();
        handlers.onClose();
      },
    };
    return {
      ...connection,
      take: () => stream.tell({ control: true }),
      giveBack: () => stream.tell({ control: false }),
    };
  }

  async #connectPort(port: number, handlers: ConnectionHandlers): Promise<Connection> {
    const link = await this.#link();
    const params = this.#params<'connect_port'>({ port });
    return await this.#lostMeans(streamedConnection(link, 'connect_port', params, handlers));
  }

  #params<Name extends OperationName>(params: InWorkspace<Name>): object {
    return { workspace: this.id, ...params };
  }

  /** Repeated on the next link if the connection is lost. */
  async #request<Name extends OperationName>(
    op: Name,
    params: InWorkspace<Name>,
    options: RequestOptions = {},
  ): Promise<{ readonly result: Result<Name>; readonly bytes: Buffer }> {
    for (let tries = 1; ; tries++) {
      const link = await this.#link(options.signal);
      try {
        return parsed(op, await link.request(op, this.#params(params), options));
      } catch (error) {
        if (!(error instanceof LinkLost)) throw error;
        if (tries === MAX_TRIES) throw this.#machine.cutOff();
      }
    }
  }

  /** A link on which this workspace is open. Throws `SandboxClosed` if its sandbox has ended. */
  async #link(signal?: AbortSignal, waitMs?: number): Promise<LinkClient> {
    for (;;) {
      if (this.#reason !== undefined) throw new SandboxClosed(this.#reason);
      const link = await this.#machine.link(signal, waitMs);
      const attached = this.#attached.get(link) ?? this.#reattach(link);
      this.#attached.set(link, attached);
      try {
        await attached;
        return link;
      } catch (error) {
        // The next request tries again.
        this.#attached.delete(link);
        if (!(error instanceof LinkLost)) throw error;
      }
    }
  }

  async #reattach(link: LinkClient): Promise<void> {
    const ended = Promise.withResolvers<End>();
    const { id: workspace, instance } = this;
    const answer = await link.open('peek', { workspace, instance }, { onEnd: ended.resolve });
    if (parsed('peek', answer).result === null) this.end('the machine closed it meanwhile');
    if (this.#reason !== undefined) throw new SandboxClosed(this.#reason);
    this.attach(link, ended.promise);
  }

  /** For requests that are not repeated. */
  async #lostMeans<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw error instanceof LinkLost ? this.#machine.cutOff() : error;
    }
  }
}

/** Makes the error of a machine that is too old for an operation one that callers can explain. */
const unknownMeans =
  (explained: (message: string) => Error) =>
  (error: unknown): never => {
    const isUnknown = error instanceof Error && /does not know the operation/.test(error.message);
    throw isUnknown ? explained(error.message) : error;
  };
const portsUnknown = unknownMeans((message) => new PortUnavailable(message));
const checkpointsUnknown = unknownMeans((message) => new CheckpointsUnavailable(message));
const replaceUnknown = unknownMeans((message) => new SandboxFileError('failed', message));

/** Undefined: the connection was lost, or the end is not an exit. */
function exitOf(end: End): ProcessExit | undefined {
  return 'value' in end ? Exit.safeParse(end.value).data : undefined;
}

/** JSON has no undefined fields. */
function known<Info extends { endedAt?: unknown; exit?: unknown }>(
  info: Info,
): Info & { endedAt: Info['endedAt']; exit: Info['exit'] };
function known<Info extends { endedAt?: unknown; exit?: unknown }>(
  info: Info | null,
): (Info & { endedAt: Info['endedAt']; exit: Info['exit'] }) | undefined;
function known<Info extends { endedAt?: unknown; exit?: unknown }>(info: Info | null) {
  return info === null ? undefined : { ...info, endedAt: info.endedAt, exit: info.exit };
}
