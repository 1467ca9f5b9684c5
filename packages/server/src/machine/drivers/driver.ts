/*
 * The interface between workspaces and the drivers that run them. A new driver (a remote machine, a cluster)
 * implements `Driver`; if it can only run commands, `shellFiles` provides file access.
 */

import type { TemplateDriver, WorkspaceNetwork } from '@chatd/protocol';
import type { RecoverableCheckpoints } from '../checkpoints/hosted-checkpoints.ts';

export interface SandboxLimits {
  readonly memory_mb?: number | undefined;
  readonly processes?: number | undefined;
  /** Drivers that cannot measure disk space ignore this limit. */
  readonly disk_mb?: number | undefined;
}

/** The part of a workspace that a driver needs. */
export interface WorkspaceSpec {
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
  readonly network: WorkspaceNetwork;
  /** Container image. Ignored by drivers without images. */
  readonly image?: string | undefined;
}

/** Overrides of the template for one sandbox. */
export interface SandboxOptions {
  /** `fetch`: all public addresses, for downloads during setup. Default: the template's network. */
  readonly network?: 'fetch' | 'none';
  /** Host folders to mount under the same path. */
  readonly readOnly?: readonly string[];
}

export interface Driver {
  /** Creates an empty workspace. Replaces an existing one. */
  create(spec: WorkspaceSpec): Promise<void>;
  /** Copies a host folder into an empty workspace. */
  copyIn(spec: WorkspaceSpec, folder: string): Promise<void>;
  /** Opens the sandbox in which commands run until it is closed. */
  open(spec: WorkspaceSpec, opening?: SandboxOptions): Promise<Sandbox>;
  /** Stops processes that a closed sandbox left running. */
  stop(spec: WorkspaceSpec): Promise<void>;
  remove(spec: WorkspaceSpec): Promise<void>;
  /** The checkpoints of the files. Undefined: the driver has none. */
  checkpoints?(spec: WorkspaceSpec): Promise<RecoverableCheckpoints>;
}

export type Drivers = Readonly<Record<TemplateDriver, Driver>>;

/** An isolated environment for the processes of one workspace. They end with the sandbox; the sandbox ends with the server. */
export interface Sandbox {
  /** Path of the workspace folder inside the sandbox. */
  readonly root: string;
  /** Path of `bash`, or of another shell if `bash` is missing. */
  readonly shell: string;
  readonly files: SandboxFiles;
  run(command: ProcessRequest): Promise<RunningProcess>;
  /** Starts a program in a pseudo-terminal. Throws `TerminalUnavailable` if the driver has none. */
  terminal(request: TerminalRequest): Promise<RunningTerminal>;
  /** Undefined: the sandbox cannot run a desktop. */
  readonly display?: DisplayAccess;
  /** Undefined: the sandbox has no network of its own, so its ports are those of the machine. */
  readonly ports?: PortAccess;
  /** Undefined: programs inside cannot reach the server through the sandbox. */
  readonly gateway?: GatewayAccess;
  /** Warning to return to the agent with every command. */
  readonly notice?: string | undefined;
  /** Resolves with the reason when the sandbox has closed. */
  readonly closed: Promise<string>;
  close(): Promise<void>;
}

/** What a desktop needs from its sandbox. Visible only inside the sandbox, and removed with it. */
export interface DisplayAccess {
  /** In-memory folder for sockets and keys. X sockets have their own folder. */
  readonly folder: string;
  /** Adds environment variables to all commands started from now on. */
  give(env: Readonly<Record<string, string>>): void;
  /** Connects to a Unix socket inside the sandbox. */
  connect(path: string, handlers: ConnectionHandlers): Promise<Connection>;
}

/** The TCP ports of the loopback interface inside a sandbox. */
export interface PortAccess {
  /** Ports of the sandbox itself, not of programs in it. */
  readonly reserved?: readonly number[];
  /** Rejects if nothing listens on the port. */
  connect(port: number, handlers: ConnectionHandlers): Promise<Connection>;
}

/** The way of programs inside a sandbox to the server, without a network. */
export interface GatewayAccess {
  /**
   * From now on, git reaches the repositories of these hosts through `onConnection`. Replaces the hosts of an earlier call.
   */
  open(
    hosts: readonly string[],
    onConnection: (incoming: IncomingConnection) => void,
  ): Promise<void>;
}

/** A connection of a program inside a sandbox. Nothing is read before `take`, which is called once. */
export interface IncomingConnection {
  take(handlers: ConnectionHandlers): Connection;
}

export interface ConnectionHandlers {
  /**
   * The buffer is reused: copy the bytes to keep them. While a returned promise is pending, little more is read from a
   * port.
   */
  onData(bytes: Uint8Array): void | Promise<void>;
  /** Called once, whichever side closed. */
  onClose(): void;
}

export interface Connection {
  /** A sender of much data waits for the returned promise. */
  write(bytes: Uint8Array): void | Promise<void>;
  close(): void;
}

export type OutputStream = 'stdout' | 'stderr';

export interface ProcessRequest {
  readonly argv: readonly [string, ...string[]];
  /** Absolute path inside the sandbox. Default: the root. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /** Keeps stdin open for `write`. */
  readonly input?: boolean;
  /** In order within a stream. The buffer is reused: copy the bytes to keep them. */
  readonly onOutput: (bytes: Uint8Array, stream: OutputStream) => void;
  /** Its children may outlive it, until the sandbox closes. */
  readonly background?: boolean;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface RunningProcess {
  /** Never rejects. If the sandbox closes first, the signal is SIGKILL. */
  readonly exit: Promise<ProcessExit>;
  /** Signals the process and all of its children. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Turns it into a background process. */
  keep(): Promise<void>;
  /**
   * Has no effect unless the request has `input`, or after the process has ended. A sender of much data waits for the
   * returned promise.
   */
  write(bytes: Uint8Array): void | Promise<void>;
  /** Closes stdin. */
  endInput(): void;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export interface TerminalRequest extends TerminalSize {
  readonly argv: readonly [string, ...string[]];
  /** The buffer is reused: copy the bytes to keep them. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

export interface RunningTerminal extends Pick<RunningProcess, 'exit' | 'signal'> {
  write(bytes: Uint8Array): void;
  resize(size: TerminalSize): void;
  /** Pauses or resumes reading the output. A program blocks while its output is not read. */
  flow(on: boolean): void;
}

export type FileKind = 'file' | 'directory' | 'link' | 'other';

export interface FileEntry {
  readonly path: string;
  readonly kind: FileKind;
  readonly size: number;
  /** Modification time in milliseconds since the epoch. */
  readonly modified: number;
}

export interface FileChunk {
  readonly bytes: Uint8Array;
  /** Size of the whole file. */
  readonly size: number;
}

/** Takes absolute paths below the root. A path that resolves outside the root is refused when it is opened. */
export interface SandboxFiles {
  read(path: string, from: number, length: number): Promise<FileChunk>;
  /**
   * Creates missing parent folders. Returns whether the file is new. With `expected`, the SHA-256 of the content in hex,
   * or null for no file, fails with `changed` if the file is neither that nor `bytes`.
   */
  write(path: string, bytes: Uint8Array, expected?: string | null): Promise<boolean>;
  /** Undefined: the path does not exist. */
  stat(path: string): Promise<FileEntry | undefined>;
  /** Lists a folder, `depth` levels deep, without descending into folders named in `skip`. */
  list(path: string, options: ListOptions): Promise<Listing>;
}

export interface ListOptions {
  readonly depth: number;
  readonly limit: number;
  readonly skip: readonly string[];
}

export interface Listing {
  /** Sorted by path, relative to the folder. */
  readonly entries: readonly FileEntry[];
  /** The folder has more than `limit` entries. */
  readonly more: boolean;
}

export type SandboxFileErrorCode =
  | 'not_found'
  | 'outside'
  | 'not_a_file'
  | 'not_a_directory'
  | 'denied'
  | 'no_space'
  | 'changed'
  | 'failed';

/** Reading or writing a file failed. The message names the path and the reason. */
export class SandboxFileError extends Error {
  override readonly name = 'FileTrouble';
  readonly code: SandboxFileErrorCode;

  constructor(code: SandboxFileErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The sandbox ended or stopped responding. Its processes are gone. */
export class SandboxClosed extends Error {
  override readonly name = 'BoxClosed';

  constructor(why: string) {
    super(`The sandbox of the workspace ended: ${why}. Its processes were killed; files are kept.`);
  }
}

/** Terminals are not supported here. The message names what is missing. */
export class TerminalUnavailable extends Error {
  override readonly name = 'NoTerminal';
}

/** The port cannot be reached. The message gives the reason. */
export class PortUnavailable extends Error {
  override readonly name = 'PortUnavailable';
}

/** Creating or opening a workspace failed. The message gives the reason. */
export class WorkspaceOpenError extends Error {
  override readonly name = 'CannotOpen';
}
