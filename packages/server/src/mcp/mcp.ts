import { type Clock, systemClock } from '@chatd/loop';
import type { McpServerTest } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Agent } from 'undici';
import { type AllowPrivate, guardedAgent } from '../providers/fetch/guarded-agent.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Database } from '../store/database.ts';
import type { McpServerRow } from '../store/mcp-servers.ts';
import { McpAccesses } from './access.ts';
import { ToolListCache } from './tool-list-cache.ts';
import { ChatPins } from './chat-pins.ts';
import { TIMING, type Timing } from './mcp-connection.ts';
import { McpConnections } from './mcp-connections.ts';
import { withDeadline } from './fetch/deadline.ts';
import { mcpFetch } from './fetch/mcp-fetch.ts';
import { McpToolbox } from './mcp-toolbox.ts';
import { SignIns } from './oauth/sign-ins.ts';
import { ProtocolEras } from './protocol-eras.ts';
import { resealMcp } from './reseal.ts';
import { PROGRAM_LIMITS, type ProgramLimits, Programs } from './stdio/programs.ts';
import { type SandboxWorkspaces, WorkspaceServers } from './sandbox/workspace-servers.ts';
import { testServer } from './test-server.ts';
import { BUDGET, type ToolBudget } from './tools/budget.ts';

export interface McpOptions {
  readonly database: Database;
  readonly vault: Vault;
  /** Whether servers may have private addresses. */
  readonly allowPrivate: AllowPrivate;
  readonly log: Logger;
  readonly version: string;
  readonly budget?: Partial<ToolBudget>;
  readonly programs?: Partial<ProgramLimits & { readonly idleMs: number }>;
  /** Undefined: this process has no workspaces. */
  readonly workspaces?: SandboxWorkspaces | undefined;
  /** The worker of this process, if it runs chats. */
  readonly workerId?: string;
  readonly timing?: Partial<Timing & { readonly startMs: number; readonly signInMs: number }>;
  readonly clock?: Clock;
}

const START_MS = 10_000;
const SIGN_IN_MS = 15_000;

export class Mcp {
  readonly toolbox: McpToolbox;
  readonly signIns: SignIns;
  readonly vault: Vault;
  readonly allowPrivate: AllowPrivate;
  readonly #agent: Agent;
  readonly #publicAgent: Agent;
  readonly #connections: McpConnections;
  readonly #pins: ChatPins | undefined;
  readonly #workspaceServers: WorkspaceServers | undefined;

  static async open(options: McpOptions): Promise<Mcp> {
    await resealMcp(options.database, options.vault, options.log);
    return new Mcp(options);
  }

  private constructor(options: McpOptions) {
    const { database, vault, allowPrivate, log, version, clock = systemClock } = options;
    this.vault = vault;
    this.allowPrivate = allowPrivate;
    this.#agent = guardedAgent(allowPrivate);
    this.#publicAgent = guardedAgent(() => Promise.resolve(false));
    const fetch = mcpFetch(this.#agent);
    const { startMs = START_MS, signInMs = SIGN_IN_MS, ...timing } = options.timing ?? {};
    const fetches = {
      configured: withDeadline(fetch, signInMs),
      publicOnly: withDeadline(mcpFetch(this.#publicAgent), signInMs),
    };
    const signing = { database, vault, fetches, clock };
    const accesses = new McpAccesses(signing);
    const toolLists = new ToolListCache(clock);
    const eras = new ProtocolEras(clock);
    const { idleMs: programIdleMs = TIMING.idleMs, ...programs } = options.programs ?? {};
    const { workerId } = options;
    this.#pins = workerId === undefined ? undefined : new ChatPins({ database, workerId, log });
    this.#connections = new McpConnections({
      programs: new Programs({ ...PROGRAM_LIMITS, ...programs }),
      programIdleMs,
      pins: this.#pins,
      database,
      accesses,
      toolLists,
      eras,
      fetch,
      clock,
      timing: { ...TIMING, ...timing },
      log,
      version,
    });
    this.#workspaceServers =
      options.workspaces &&
      new WorkspaceServers({
        workspaces: options.workspaces,
        pins: this.#pins,
        database,
        fetch,
        eras,
        clock,
        timing: { ...TIMING, ...timing, idleMs: programIdleMs },
        log,
        version,
      });
    this.signIns = new SignIns(signing);
    this.toolbox = new McpToolbox({
      database,
      connections: this.#connections,
      toolLists,
      workspaceServers: this.#workspaceServers,
      budget: { ...BUDGET, ...options.budget },
      clock,
      startMs,
    });
  }

  /** Connects as an agent of this user would. */
  async test(server: McpServerRow, userId: string): Promise<McpServerTest> {
    return await testServer(server, this.#connections.make(server, userId));
  }

  /** Call after the commit of a change to a server, or of a sign-in or sign-out. */
  changed(serverId: string, userId?: string): void {
    void this.#connections.end(serverId, userId);
  }

  async close(): Promise<void> {
    await Promise.all([this.#connections.close(), this.#workspaceServers?.close()]);
    await this.#pins?.close();
    await Promise.all([this.#agent.destroy(), this.#publicAgent.destroy()]);
  }
}
