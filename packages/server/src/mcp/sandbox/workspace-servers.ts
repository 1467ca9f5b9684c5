import type { Clock } from '@chatd/loop';
import type { WorkspaceMcpServer } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { ChatRow } from '../../chat/row.ts';
import type { HostedWorkspace } from '../../machine/machine.ts';
import type { McpServerRow } from '../../store/mcp-servers.ts';
import type { Queryable } from '../../store/statement.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import { workspaceOfChat } from '../../tools/workspace/workspace-of-chat.ts';
import type { ChatPins } from '../chat-pins.ts';
import type { Fetch } from '../fetch/mcp-fetch.ts';
import type { ProtocolEras } from '../protocol-eras.ts';
import { McpConnection, type Timing } from '../mcp-connection.ts';
import { McpFailure } from '../mcp-failure.ts';
import { REPOSITORY_FILE, repositoryServers } from './repository-servers.ts';

/** The part of `Workspaces` that servers in workspaces need. */
export interface SandboxWorkspaces {
  find(id: string): Promise<WorkspaceRow | undefined>;
  use(id: string): Promise<Pick<HostedWorkspace, 'root' | 'shell' | 'files' | 'run'>>;
}

export interface WorkspaceServersOptions {
  readonly workspaces: SandboxWorkspaces;
  readonly database: Queryable;
  readonly fetch: Fetch;
  readonly eras: ProtocolEras;
  readonly clock: Clock;
  readonly timing: Timing;
  readonly log: Logger;
  readonly version: string;
  readonly pins: ChatPins | undefined;
}

/** What the tools of a server need to know about it. */
export type OfferedServer = Pick<McpServerRow, 'name' | 'trusted' | 'tool_allow' | 'tool_deny'>;

export interface WorkspaceServer {
  readonly server: OfferedServer;
  readonly connection: McpConnection;
}

interface Held extends WorkspaceServer {
  readonly revision: string;
}

/** Like the default of other MCP servers. */
const TIMEOUT_MS = 60_000;

/** The MCP servers that run in the workspaces of chats: one process for each server of a chat. */
export class WorkspaceServers {
  readonly #options: WorkspaceServersOptions;
  readonly #held = new Map<string, Held>();

  constructor(options: WorkspaceServersOptions) {
    this.#options = options;
  }

  /** Those that the template allows, while the workspace is ready. A failure concerns the `.mcp.json`. */
  async of(
    chat: ChatRow,
  ): Promise<{ readonly servers: readonly WorkspaceServer[]; readonly failure?: McpFailure }> {
    const { workspaces, database } = this.#options;
    const workspaceId = await workspaceOfChat(chat, database);
    if (workspaceId === null) return { servers: [] };
    const row = await workspaces.find(workspaceId);
    if (row?.status !== 'ready') return { servers: [] };
    const { mcp_servers: own = {}, repository_mcp_servers: fromRepository = false } =
      row.definition;
    const connect = (named: Readonly<Record<string, WorkspaceMcpServer>>) =>
      Object.entries(named).map(([name, server]) => this.#hold(chat.id, workspaceId, name, server));
    if (!fromRepository) return { servers: connect(own) };
    try {
      const { files, root } = await workspaces.use(workspaceId);
      return { servers: connect({ ...(await repositoryServers(files, root)), ...own }) };
    } catch (error) {
      const failure =
        error instanceof McpFailure
          ? error
          : new McpFailure(`Reading ${REPOSITORY_FILE} failed.`, { cause: error });
      return { servers: connect(own), failure };
    }
  }

  async close(): Promise<void> {
    const all = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(all.map(({ connection }) => connection.close()));
  }

  /** Replaces the connection if the server or the workspace has changed. */
  #hold(chatId: string, workspaceId: string, name: string, server: WorkspaceMcpServer): Held {
    const { workspaces, fetch, eras, clock, timing, log, version, pins } = this.#options;
    const key = `${chatId}/${name}`;
    const revision = JSON.stringify([workspaceId, server]);
    const known = this.#held.get(key);
    if (known?.revision === revision) return known;
    void known?.connection.close('it was changed during the turn');
    const held: Held = {
      revision,
      server: { name, trusted: false, tool_allow: null, tool_deny: [] },
      connection: new McpConnection({
        name,
        version,
        timeoutMs: TIMEOUT_MS,
        access: async () => {
          const workspace = await workspaces.use(workspaceId);
          const program = {
            argv: [server.command, ...(server.args ?? [])] as const,
            env: server.env ?? {},
            run: workspace.run.bind(workspace),
          };
          return { transport: 'sandbox', program };
        },
        fetch,
        era: eras.of(`${name}/${revision}`),
        clock,
        timing,
        log,
        onOffer: () => this.#held.set(key, held),
        onIdle: () => {
          if (this.#held.get(key) === held) this.#held.delete(key);
        },
        onOpen: () => pins?.opened(chatId),
        onClose: () => pins?.closed(chatId),
      }),
    };
    this.#held.set(key, held);
    return held;
  }
}
