/*
 * What a machine does: it hosts workspaces. The local machine does it in this process (`local/`); every other machine
 * over a connection (`link/`), which other replicas can share. Nothing above this interface knows the difference.
 *
 * Effects that carry a `call` (the ID of a tool call) happen once: the machine records each in its journal before it
 * starts, and a repeated request attaches to the recorded one. A call whose machine restarted is `lost`.
 */

import type { TemplateDefinition } from '@chatd/protocol';
import type { HostedCheckpoints } from './checkpoints/hosted-checkpoints.ts';
import type {
  Connection,
  ConnectionHandlers,
  ProcessExit,
  ProcessRequest,
  RunningProcess,
  SandboxFiles,
  TerminalSize,
  WorkspaceSpec,
} from './drivers/driver.ts';

/** A workspace as machines know it. */
export interface HostedSpec extends WorkspaceSpec {
  readonly driver: TemplateDefinition['driver'];
  /** Hosts whose repositories git reaches through the server. Default: none. */
  readonly gitHosts?: readonly string[] | undefined;
}

export interface Machine {
  readonly id: string;
  readonly name: string;
  /** Creates the workspace and runs its setup, or follows the setup of the same attempt. */
  setUp(request: SetupRequest): Promise<SetupResult>;
  /** Opens the workspace, or returns the open one. Throws `WorkspaceOpenError`, `MachineOffline`. */
  open(spec: HostedSpec): Promise<HostedWorkspace>;
  /** The open workspace. Undefined: it is not open. */
  peek(workspaceId: string): Promise<HostedWorkspace | undefined>;
  /**
   * Waits for the next connection of a program in the workspace, or in its setup, to the server. Throws
   * `MachineOffline`, `LinkLost`.
   */
  accept(request: AcceptRequest): Promise<Connection>;
  /** Ends all processes of the workspace, and its setup. */
  stop(spec: HostedSpec): Promise<void>;
  /** Deletes its files and its journal. */
  remove(spec: HostedSpec): Promise<void>;
}

/** The machine of this computer, as the server that holds its connection knows it. */
export interface OwnMachine extends Machine {
  capabilities(): Promise<MachineCapabilities>;
  /** The ids of the open workspaces. */
  workspaces(): Promise<readonly string[]>;
  /** The calls in the journal. */
  calls(): Promise<readonly JournaledCall[]>;
  /**
   * The results of these calls are committed, or will never be asked for: kills those that still run in the foreground,
   * and deletes their entries. A later request with one of these calls throws `CallLost`, for at least an hour.
   */
  settle(calls: readonly string[]): Promise<void>;
}

export interface MachineCapabilities {
  readonly sandbox: boolean;
  readonly docker: boolean;
  readonly desktop: boolean;
}

export interface JournaledCall {
  readonly call: string;
  readonly running: boolean;
}

export interface SetupRequest {
  readonly spec: HostedSpec;
  readonly definition: TemplateDefinition;
  /** A checkpoint of another workspace on this machine. The setup ends with its files. */
  readonly files?: { readonly workspace_id: string; readonly tree: string } | undefined;
  /** A repeated request with the same attempt follows the first; a greater attempt starts over, a smaller one fails. */
  readonly attempt: string;
  /** Ends following the setup, which goes on. `stop` ends the setup. */
  readonly signal: AbortSignal;
  /** The output so far, then the rest. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

export interface AcceptRequest {
  readonly workspaceId: string;
  /** Hosts whose repositories git reaches through the server from now on. */
  readonly hosts: readonly string[];
  readonly handlers: ConnectionHandlers;
  readonly signal: AbortSignal;
}

export type SetupResult =
  | { readonly ok: true; readonly baselines: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly error: string };

/** An open workspace of a machine. Valid until `closed`; a lost connection does not close it. */
export interface HostedWorkspace {
  /** Path of the workspace folder inside the sandbox. */
  readonly root: string;
  readonly shell: string;
  readonly files: SandboxFiles;
  readonly commands: Commands;
  readonly terminals: HostedTerminals;
  readonly desktop: HostedDesktop;
  readonly ports: HostedPorts;
  readonly checkpoints: HostedCheckpoints;
  /** Runs a program for the server. It is killed if the connection is lost. */
  run(request: ProcessRequest): Promise<RunningProcess>;
  /** Grows with every action that may change files. */
  revision(): Promise<number>;
  /** What became of a call with an effect. */
  outcome(call: string): Promise<CallOutcome>;
  /** Writes all files, or none. Returns `result`, or the recorded result of the same call, which is not repeated. */
  writeAll(call: string, files: readonly FileToWrite[], result: string): Promise<string>;
  readonly isClosed: () => boolean;
  /** Resolves with the reason when the sandbox has closed. */
  readonly closed: Promise<string>;
}

export interface FileToWrite {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export type CallOutcome =
  /** Never accepted: it had no effect. */
  | { readonly state: 'unknown' }
  | { readonly state: 'running' }
  | { readonly state: 'finished'; readonly result: string }
  /** It started, and the machine restarted before it ended. */
  | { readonly state: 'lost' };

/** The commands of agents. They outlive the connection and the replica that started them, and end with the sandbox. */
export interface Commands {
  /** Starts the command, or attaches to the one that the same call started. Throws `CallLost`. */
  start(request: CommandRequest): Promise<Command>;
  /** Undefined: unknown, or ended long ago. */
  find(id: string): Promise<CommandInfo | undefined>;
  /** Background commands, oldest first, including recently ended ones. */
  list(): Promise<readonly CommandInfo[]>;
  /** The beginning and the end of the output, or what came after an offset. */
  output(id: string, after?: number): Promise<CommandOutput | undefined>;
  /** Waits until the command has ended. Undefined: `signal` was aborted first. */
  exit(id: string, signal: AbortSignal): Promise<ProcessExit | undefined>;
  signal(id: string, name: NodeJS.Signals): Promise<void>;
  /** Turns a command into a background command that the agent knows. */
  keep(id: string): Promise<void>;
}

export interface CommandRequest {
  /** Undefined: not repeated after a failure. */
  readonly call: string | undefined;
  readonly command: string;
  /** Absolute path inside the sandbox. */
  readonly cwd: string;
  readonly background: boolean;
  /**
   * Output from byte `from` on, in order, whatever happens to the connection. `at` is the position of the first byte:
   * very long output has a gap. If it returns a promise, it is called again when that has resolved. The buffer is
   * reused: copy the bytes to keep them.
   */
  readonly onOutput: (bytes: Uint8Array, at: number) => void | Promise<void>;
  readonly from?: number;
  /** Ends waiting for a machine that is disconnected before it has accepted the command. Default: after a short time. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the connection to the machine is lost, with the name of the machine. */
  readonly onWaiting?: ((name: string) => void) | undefined;
  /** Never starts the command: throws `CallLost` if the machine does not know the call. */
  readonly attach?: boolean;
  /** After this time, the command is a background command, as after `keep`, also while the machine is disconnected. */
  readonly keepAfterMs?: number | undefined;
}

export interface Command {
  readonly id: string;
  /** An earlier request started the command, and this one attached to it. */
  readonly isAttached: boolean;
  /** Resolves when `onOutput` has all output. Rejects with `CallLost` or `MachineOffline`. */
  readonly exit: Promise<CommandExit>;
  /** Ends following the output. */
  leave(): void;
}

export interface CommandExit extends ProcessExit {
  /** Warning to return to the agent, such as a full disk. */
  readonly notice?: string | undefined;
}

export interface CommandInfo {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** Undefined: still running. */
  readonly exit: ProcessExit | undefined;
  readonly outputBytes: number;
}

export interface CommandOutput {
  readonly text: string;
  readonly next: number;
  readonly info: CommandInfo;
}

export interface TerminalEntry {
  readonly id: string;
  readonly createdAt: number;
  readonly viewers: number;
}

/** Shells that several people can share, on any replica. Each is kept for a while without viewers. */
export interface HostedTerminals {
  list(): Promise<readonly TerminalEntry[]>;
  /** Opens a new terminal, unless `id` exists. Throws `TerminalUnavailable`, `TooManyTerminals`. */
  open(
    id: string | undefined,
    size: TerminalSize,
  ): Promise<{ readonly id: string; readonly isNew: boolean }>;
  /** Replays the output after byte `seen`, then follows it. Undefined: the terminal does not exist. */
  attach(
    id: string,
    seen: number | undefined,
    viewer: TerminalViewer,
  ): Promise<TerminalView | undefined>;
}

export interface TerminalViewer {
  onOutput(bytes: Uint8Array): void;
  /** `exit` is undefined if the connection was lost: attach again. */
  onEnd(exit: ProcessExit | undefined): void;
}

export interface TerminalView {
  /** Position of the first byte that is replayed. */
  readonly from: number;
  readonly resumed: boolean;
  readonly replay: number;
  write(bytes: Uint8Array): void;
  resize(size: TerminalSize): void;
  /** Pauses or resumes the output to this viewer. */
  flow(on: boolean): void;
  /** Ends the program. */
  end(): void;
  leave(): void;
}

/** The TCP ports on which programs in the workspace listen. Both throw `PortUnavailable`. */
export interface HostedPorts {
  /** By number. */
  list(): Promise<readonly ListeningPort[]>;
  /** Connects to the loopback interface of the workspace, never to that of the machine. */
  connect(port: number, handlers: ConnectionHandlers): Promise<Connection>;
}

export interface ListeningPort {
  readonly port: number;
  /** The name of the program. Undefined: unknown. */
  readonly program?: string | undefined;
}

/** The display of a workspace: one for all replicas. A person or an agent has control of its pointer and keyboard. */
export interface HostedDesktop {
  /** Starts the display if it does not run. Throws `DesktopUnavailable`. */
  start(size: DesktopSize): Promise<void>;
  /** Undefined: it does not run. */
  state(): Promise<DesktopState | undefined>;
  /** A new RFB connection. */
  connect(client: DesktopClient, handlers: DesktopHandlers): Promise<DesktopLink>;
}

export interface DesktopSize {
  readonly width: number;
  readonly height: number;
}

export interface DesktopState extends DesktopSize {
  /** The name of the person who has control. Null: none. */
  readonly person: string | null;
  /** Whether an agent waits for a person to give back control. */
  readonly agentWaits: boolean;
  readonly viewers: number;
}

export type DesktopClient =
  | { readonly kind: 'agent' }
  | { readonly kind: 'viewer'; readonly name: string };

export interface DesktopHandlers extends ConnectionHandlers {
  /** Called when the state changes. `yours`: this connection has control. */
  onState(state: DesktopState, yours: boolean): void;
}

export interface DesktopLink extends Connection {
  /** A viewer gets control at once. An agent gets it when neither a person nor another agent has it. */
  take(): void;
  /** Closing the connection does it, too. */
  giveBack(): void;
}

/** The machine restarted after the call had started: its outcome is unknown. */
export class CallLost extends Error {
  override readonly name = 'CallLost';
}

/** The workspace has the maximum number of terminals. */
export class TooManyTerminals extends Error {
  override readonly name = 'TooManyTerminals';
  readonly most: number;

  constructor(most: number) {
    super(`The workspace has ${most} terminals, which is the maximum. Close one first.`);
    this.most = most;
  }
}

/** The machine is not connected. The message names it. */
export class MachineOffline extends Error {
  override readonly name = 'MachineOffline';
}
