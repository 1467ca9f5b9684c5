import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import {
  type Sandbox,
  SandboxClosed,
  type SandboxFiles,
  type ProcessRequest,
  type DisplayAccess,
  type GatewayAccess,
  type IncomingConnection,
  type PortAccess,
  PortUnavailable,
  type ProcessExit,
  SandboxFileError,
  type SandboxFileErrorCode,
  type ConnectionHandlers,
  TerminalUnavailable,
  type RunningProcess,
  type RunningTerminal,
  type TerminalRequest,
  type Connection,
} from '../driver.ts';
import { TERMINAL_ENVIRONMENT } from '../terminal-environment.ts';
import { INSIDE } from './directories.ts';
import { gatewayEnvironment } from './gateway-environment.ts';
import { frame, type MessageFrame, type FrameReader } from './inside/frames.ts';

export interface HostSandboxOptions {
  readonly child: ChildProcess & { stdin: Writable; stdout: Readable };
  readonly root: string;
  readonly hello: { readonly shell: string };
  readonly reader: FrameReader;
  /** Called once, when the sandbox has ended. */
  readonly onEnd: () => void;
  /** Whether killing the first process kills all others. */
  readonly sandboxed: boolean;
  /** How long the program inside may take to respond before the sandbox is killed. */
  readonly patienceMs: number;
}

const ENTRY = z.object({
  path: z.string(),
  kind: z.enum(['file', 'directory', 'link', 'other']),
  size: z.number(),
  modified: z.number(),
});
const CHUNK = z.object({ size: z.number() });
const WRITTEN = z.object({ created: z.boolean() });
const STAT = z.object({ entry: ENTRY.nullable() });
const LISTING = z.object({ entries: z.array(ENTRY), more: z.boolean() });
const ANSWER = z.object({ id: z.number(), ok: z.boolean() });
const REFUSAL = z.object({ code: z.string(), message: z.string() });
const OUTPUT = z.object({ run: z.string(), stream: z.enum(['stdout', 'stderr']) });
const SPOKEN = z.object({ connection: z.string() });
const EXIT = z.object({
  run: z.string(),
  code: z.number().nullable(),
  signal: z.string().nullable(),
});

interface Question {
  resolve(answer: { header: MessageFrame['header']; bytes: Buffer }): void;
  reject(error: Error): void;
}

interface Watched {
  readonly onOutput: ProcessRequest['onOutput'];
  /** Background: its children may write after it has ended. */
  kept: boolean;
  readonly exited: PromiseWithResolvers<ProcessExit>;
}

interface TellingConnection extends Connection {
  tell(request: object): void;
}

const KILLED: ProcessExit = { code: null, signal: 'SIGKILL' };
const ENDING_MS = 2000;

/** A sandbox controlled over a pair of pipes by the program in `inside/`. */
export class HostSandbox implements Sandbox {
  readonly root: string;
  readonly shell: string;
  readonly closed: Promise<string>;
  readonly files: SandboxFiles;
  readonly display?: DisplayAccess;
  readonly ports?: PortAccess;
  readonly gateway?: GatewayAccess;
  readonly #options: HostSandboxOptions;
  readonly #questions = new Map<number, Question>();
  readonly #runs = new Map<string, Watched>();
  readonly #connections = new Map<string, ConnectionHandlers>();
  /** Writes that wait until a program in the sandbox has read what was sent. */
  readonly #draining = new Map<string, PromiseWithResolvers<void>>();
  #env: Readonly<Record<string, string>> = {};
  readonly #ended = Promise.withResolvers<string>();
  #onIncoming: ((incoming: IncomingConnection) => void) | undefined;
  #asked = 0;
  #why: string | undefined;

  constructor(options: HostSandboxOptions) {
    const { child, root, hello } = options;
    this.#options = options;
    this.root = root;
    this.shell = hello.shell;
    this.closed = this.#ended.promise;
    this.files = this.#files();
    // Without isolation there is no private folder for a display, and no network of its own.
    if (options.sandboxed) {
      this.display = {
        folder: INSIDE.display,
        give: (env) => {
          this.#env = { ...this.#env, ...env };
        },
        connect: (path, handlers) => this.#connect({ op: 'connect', path }, handlers),
      };
      this.ports = {
        reserved: [INSIDE.proxyPort, INSIDE.gatewayPort],
        connect: (port, handlers) => this.#connectPort(port, handlers),
      };
      this.gateway = {
        open: async (hosts, onConnection) => {
          this.#onIncoming = onConnection;
          await this.#ask({ op: 'listen', port: INSIDE.gatewayPort });
          this.#env = { ...this.#env, ...gatewayEnvironment(hosts, INSIDE.gatewayPort) };
        },
      };
    }
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => this.receive(chunk)).resume();
    child.once('exit', () => this.#end('its first process has exited'));
    if (child.exitCode !== null || child.signalCode !== null) this.#end('it exited at startup');
  }

  async run(command: ProcessRequest): Promise<RunningProcess> {
    const run = `r${++this.#asked}`;
    const exited = Promise.withResolvers<ProcessExit>();
    const watched = { onOutput: command.onOutput, exited, kept: command.background ?? false };
    this.#runs.set(run, watched);
    try {
      await this.#ask(
        {
          op: 'run',
          run,
          argv: command.argv,
          cwd: command.cwd ?? this.root,
          env: { ...this.#env, ...command.env },
          background: watched.kept,
          input: command.input ?? false,
        },
        command.stdin,
      );
    } catch (error) {
      this.#runs.delete(run);
      throw error;
    }
    const tell = this.#teller(run);
    return {
      exit: exited.promise,
      signal: async (signal) => {
        if (this.#why === undefined) await this.#ask({ op: 'signal', run, signal });
      },
      keep: async () => {
        watched.kept = true;
        if (this.#why === undefined) await this.#ask({ op: 'keep', run });
      },
      write: (bytes) => tell({ op: 'input' }, bytes),
      endInput: () => tell({ op: 'end_input' }),
    };
  }

  async terminal({ argv, cols, rows, onOutput }: TerminalRequest): Promise<RunningTerminal> {
    const run = `t${++this.#asked}`;
    const exited = Promise.withResolvers<ProcessExit>();
    this.#runs.set(run, { onOutput, exited, kept: false });
    const env = { ...this.#env, ...TERMINAL_ENVIRONMENT };
    try {
      await this.#ask({ op: 'terminal', run, argv, cols, rows, cwd: this.root, env });
    } catch (error) {
      this.#runs.delete(run);
      throw error instanceof SandboxFileError ? new TerminalUnavailable(error.message) : error;
    }
    const tell = this.#teller(run);
    return {
      exit: exited.promise,
      write: (bytes) => tell({ op: 'type' }, bytes),
      resize: (size) => tell({ op: 'resize', ...size }),
      flow: (on) => tell({ op: 'flow', on }),
      signal: async (signal) => {
        if (this.#why === undefined) await this.#ask({ op: 'signal', run, signal });
      },
    };
  }

  #teller(run: string): (request: object, bytes?: Uint8Array) => void {
    return (request, bytes) => {
      if (this.#runs.has(run)) this.#ask({ ...request, run }, bytes).catch(() => undefined);
    };
  }

  async close(why = 'it was closed'): Promise<void> {
    const { child, sandboxed } = this.#options;
    if (this.#why === undefined) {
      this.#why = why;
      child.stdin.end();
      // Without isolation, the program inside must kill its children itself.
      if (sandboxed) child.kill('SIGKILL');
      else setTimeout(() => child.kill('SIGKILL'), ENDING_MS).unref();
    }
    await this.closed;
  }

  receive(chunk: Buffer): void {
    try {
      for (const one of this.#options.reader.push(chunk)) this.#take(one);
    } catch {
      // The program inside never writes such frames: agent code has taken over the pipe.
      this.#kill('it violated the protocol');
    }
  }

  #take({ header, bytes }: MessageFrame): void {
    switch (header['event']) {
      case 'output': {
        const { run, stream } = OUTPUT.parse(header);
        this.#runs.get(run)?.onOutput(bytes, stream);
        return;
      }
      case 'exit': {
        const { run, code, signal } = EXIT.parse(header);
        const watched = this.#runs.get(run);
        if (watched?.kept === false) this.#runs.delete(run);
        watched?.exited.resolve({ code, signal });
        return;
      }
      case 'data': {
        const { connection } = SPOKEN.parse(header);
        void this.#connections.get(connection)?.onData(bytes);
        return;
      }
      case 'drained':
        return this.#drained(SPOKEN.parse(header).connection);
      case 'incoming':
        return this.#incoming(SPOKEN.parse(header).connection);
      case 'closed':
        return this.#hungUp(SPOKEN.parse(header).connection);
      default: {
        const { id } = ANSWER.parse(header);
        const question = this.#questions.get(id);
        this.#questions.delete(id);
        question?.resolve({ header, bytes });
      }
    }
  }

  #incoming(connection: string): void {
    this.#connections.set(connection, { onData: () => undefined, onClose: () => undefined });
    this.#onIncoming?.({
      take: (handlers) => {
        const link = this.#linkOf(connection);
        // It may have closed before.
        if (!this.#connections.has(connection)) queueMicrotask(() => handlers.onClose());
        else this.#connections.set(connection, paced(handlers, link).handlers);
        link.tell({ op: 'connection_flow', on: true });
        return link;
      },
    });
  }

  async #connectPort(port: number, handlers: ConnectionHandlers): Promise<Connection> {
    let link: TellingConnection | undefined;
    const pace = paced(handlers, { tell: (message) => link?.tell(message) });
    link = await this.#connect({ op: 'connect_port', port }, pace.handlers).catch(
      (error: unknown) => {
        throw error instanceof SandboxFileError ? nothingListens(port) : error;
      },
    );
    // Data may have arrived first.
    pace.resume();
    return link;
  }

  async #connect(request: object, handlers: ConnectionHandlers): Promise<TellingConnection> {
    const connection = `c${++this.#asked}`;
    this.#connections.set(connection, handlers);
    try {
      await this.#ask({ ...request, connection });
    } catch (error) {
      this.#connections.delete(connection);
      throw error;
    }
    return this.#linkOf(connection);
  }

  #linkOf(connection: string): TellingConnection {
    const tell = async (message: object, bytes?: Uint8Array) => {
      if (!this.#connections.has(connection)) return undefined;
      return await this.#ask({ ...message, connection }, bytes).catch(() => undefined);
    };
    return {
      tell: (message) => void tell(message),
      write: async (bytes) => {
        // Before the answer, because the event may follow it at once.
        const drained = this.#draining.get(connection) ?? Promise.withResolvers<void>();
        if (this.#connections.has(connection)) this.#draining.set(connection, drained);
        const answer = await tell({ op: 'send' }, bytes);
        if (answer?.header['taken'] === false) await drained.promise;
      },
      close: () => {
        void tell({ op: 'hangup' });
        this.#hungUp(connection);
      },
    };
  }

  #drained(connection: string): void {
    this.#draining.get(connection)?.resolve();
    this.#draining.delete(connection);
  }

  #hungUp(connection: string): void {
    const handlers = this.#connections.get(connection);
    this.#connections.delete(connection);
    this.#drained(connection);
    handlers?.onClose();
  }

  async #ask(
    request: object,
    bytes?: Uint8Array,
  ): Promise<{ header: MessageFrame['header']; bytes: Buffer }> {
    if (this.#why !== undefined) throw new SandboxClosed(this.#why);
    const id = ++this.#asked;
    const { promise, resolve, reject } = Promise.withResolvers<{
      header: MessageFrame['header'];
      bytes: Buffer;
    }>();
    this.#questions.set(id, { resolve, reject });
    for (const piece of frame({ id, ...request }, bytes)) this.#options.child.stdin.write(piece);
    // Agent commands can freeze the program inside, so responses have a time limit.
    const timer = setTimeout(() => this.#kill('it stopped responding'), this.#options.patienceMs);
    try {
      const answer = await promise;
      if (answer.header['ok'] === true) return answer;
      const { code, message } = REFUSAL.parse(answer.header);
      throw new SandboxFileError(code as SandboxFileErrorCode, message);
    } finally {
      clearTimeout(timer);
    }
  }

  #files(): SandboxFiles {
    return {
      read: async (path, from, length) => {
        const { header, bytes } = await this.#ask({ op: 'read', path, from, length });
        // The buffer of the frame is reused.
        return { size: CHUNK.parse(header).size, bytes: Buffer.from(bytes) };
      },
      write: async (path, bytes, expected) => {
        const { header } = await this.#ask({ op: 'write', path, expected }, bytes);
        return WRITTEN.parse(header).created;
      },
      stat: async (path) => {
        const { header } = await this.#ask({ op: 'stat', path });
        return STAT.parse(header).entry ?? undefined;
      },
      list: async (path, { depth, limit, skip }) => {
        const { header } = await this.#ask({ op: 'list', path, depth, limit, skip });
        return LISTING.parse(header);
      },
    };
  }

  #kill(why: string): void {
    this.#why ??= why;
    this.#options.child.kill('SIGKILL');
  }

  #end(why: string): void {
    this.#why ??= why;
    for (const { exited } of this.#runs.values()) exited.resolve(KILLED);
    for (const question of this.#questions.values()) question.reject(new SandboxClosed(this.#why));
    this.#questions.clear();
    for (const connection of this.#connections.keys()) this.#hungUp(connection);
    this.#options.onEnd();
    this.#ended.resolve(this.#why);
  }
}

/** Pauses a connection while its handler is busy. */
function paced(handlers: ConnectionHandlers, link: Pick<TellingConnection, 'tell'>) {
  let waiting = 0;
  const flow = (on: boolean) => link.tell({ op: 'connection_flow', on });
  return {
    handlers: {
      onData(bytes: Uint8Array) {
        const taken = handlers.onData(bytes);
        if (taken === undefined) return;
        if (++waiting === 1) flow(false);
        const go = () => {
          if (--waiting === 0) flow(true);
        };
        taken.then(go, go);
      },
      onClose: () => handlers.onClose(),
    },
    /** Call when `link` is usable. */
    resume() {
      if (waiting > 0) flow(false);
    },
  };
}

const nothingListens = (port: number) =>
  new PortUnavailable(`No program listens on port ${port} of the workspace.`);
