/*
 * What tools know of a place where work is done. A driver for another kind of place (a remote machine, a cluster)
 * is one file: `Driver` below, with `shellFiles` for the files if the place can only run commands.
 */

import type { WorkspaceNetwork } from '@chatd/protocol';

export interface SandboxLimits {
  readonly memory_mb?: number | undefined;
  readonly processes?: number | undefined;
  /** Disk space; drivers without a way to measure it ignore it. */
  readonly disk_mb?: number | undefined;
}

/** A workspace, as far as a driver needs to know it. */
export interface WorkspaceSpec {
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
  readonly network: WorkspaceNetwork;
  /** Of a container; drivers without images leave it alone. */
  readonly image?: string | undefined;
}

/** How a sandbox is opened for a while, other than the template says. */
export interface SandboxOptions {
  /** `fetch`: all public addresses, because the set-up downloads what the work needs. Default: the template's network. */
  readonly network?: 'fetch' | 'none';
  /** Folders of the machine to be seen inside under the same path. */
  readonly readOnly?: readonly string[];
}

export interface Driver {
  /** Makes what a workspace needs before it can be opened. Again on one that exists: it begins empty. */
  create(spec: WorkspaceSpec): Promise<void>;
  /** Copies a folder of this machine into an empty workspace. */
  copyIn(spec: WorkspaceSpec, folder: string): Promise<void>;
  /** Where the workspace's commands run from now on, until it is closed. */
  open(spec: WorkspaceSpec, opening?: SandboxOptions): Promise<Sandbox>;
  /** Stops what a closed sandbox may have left running. */
  stop(spec: WorkspaceSpec): Promise<void>;
  /** Removes all of it. */
  remove(spec: WorkspaceSpec): Promise<void>;
}

/** An open workspace. Everything that happens in it dies with it, and it dies with the server. */
export interface Sandbox {
  /** The folder of the work, as commands see it. */
  readonly root: string;
  /** `bash`, or what there is instead. */
  readonly shell: string;
  readonly files: SandboxFiles;
  run(command: ProcessRequest): Promise<RunningProcess>;
  /** A program with a terminal of its own. Throws `NoTerminal` where there can be none. */
  terminal(request: TerminalRequest): Promise<RunningTerminal>;
  /** Where a display can be; undefined: this kind of sandbox has no place for one. */
  readonly display?: DisplayAccess;
  /** What an agent should know about the sandbox with every command; undefined: nothing. */
  readonly notice?: string | undefined;
  /** Why it closed, once it has. */
  readonly closed: Promise<string>;
  close(): Promise<void>;
}

/** Of a sandbox that can have a desktop. What is put there is seen in the sandbox alone, and ends with it. */
export interface DisplayAccess {
  /** A folder in memory, for sockets and keys; the folder of X sockets is another one. */
  readonly folder: string;
  /** Puts variables into the environment of all commands that are started from now on. */
  give(env: Readonly<Record<string, string>>): void;
  /** Connects to a Unix socket inside. */
  connect(path: string, handlers: ConnectionHandlers): Promise<Connection>;
}

export interface ConnectionHandlers {
  /** The bytes are the listener's only until it returns. */
  onData(bytes: Uint8Array): void;
  /** Once, whoever hung up. */
  onClose(): void;
}

export interface Connection {
  write(bytes: Uint8Array): void;
  close(): void;
}

export type OutputStream = 'stdout' | 'stderr';

export interface ProcessRequest {
  readonly argv: readonly [string, ...string[]];
  /** Absolute, inside the sandbox; the root unless given. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /** In order within a stream. The bytes are the listener's only until it returns. */
  readonly onOutput: (bytes: Uint8Array, stream: OutputStream) => void;
  /** It and its children may go on after its own end, until the sandbox closes. */
  readonly background?: boolean;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface RunningProcess {
  /** Never rejects. When the sandbox closes under the process, the signal is SIGKILL. */
  readonly exit: Promise<ProcessExit>;
  /** To the process and all of its children. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** From now on as if it had been started with `background`. */
  keep(): Promise<void>;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export interface TerminalRequest extends TerminalSize {
  readonly argv: readonly [string, ...string[]];
  /** The bytes are the listener's only until it returns. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

export interface RunningTerminal extends Pick<RunningProcess, 'exit' | 'signal'> {
  /** As if somebody typed it. */
  write(bytes: Uint8Array): void;
  resize(size: TerminalSize): void;
  /** Whether its output is read: a program whose output is not waits. */
  flow(on: boolean): void;
}

export type FileKind = 'file' | 'directory' | 'link' | 'other';

export interface FileEntry {
  readonly path: string;
  readonly kind: FileKind;
  readonly size: number;
  /** When it was last written, in milliseconds since 1970. */
  readonly modified: number;
}

export interface FileChunk {
  readonly bytes: Uint8Array;
  /** Of the whole file. */
  readonly size: number;
}

/** Paths are absolute and inside the root; what leads out of it is refused where it is opened. */
export interface SandboxFiles {
  read(path: string, from: number, length: number): Promise<FileChunk>;
  /** Makes folders on the way; true when there was no such file before. */
  write(path: string, bytes: Uint8Array): Promise<boolean>;
  /** Undefined: there is nothing. */
  stat(path: string): Promise<FileEntry | undefined>;
  /** What is below a folder, `depth` levels deep, without entering the folders named in `skip`. */
  list(path: string, options: ListOptions): Promise<Listing>;
}

export interface ListOptions {
  readonly depth: number;
  readonly limit: number;
  readonly skip: readonly string[];
}

export interface Listing {
  /** By their paths relative to the folder, sorted. */
  readonly entries: readonly FileEntry[];
  /** There is more than `limit`. */
  readonly more: boolean;
}

export type SandboxFileErrorCode =
  | 'not_found'
  | 'outside'
  | 'not_a_file'
  | 'not_a_directory'
  | 'denied'
  | 'no_space'
  | 'failed';

/** A file could not be read or written; the message says which and why. */
export class SandboxFileError extends Error {
  override readonly name = 'FileTrouble';
  readonly code: SandboxFileErrorCode;

  constructor(code: SandboxFileErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The sandbox went away, or does not answer: what ran in it is dead. */
export class SandboxClosed extends Error {
  override readonly name = 'BoxClosed';

  constructor(why: string) {
    super(`The sandbox of the workspace ended: ${why}. What ran in it is gone; files are kept.`);
  }
}

/** The machine has nothing that opens terminals; the message says what is missing. */
export class TerminalUnavailable extends Error {
  override readonly name = 'NoTerminal';
}

/** A workspace could not be made or opened; the message says what stood in the way. */
export class WorkspaceOpenError extends Error {
  override readonly name = 'CannotOpen';
}
