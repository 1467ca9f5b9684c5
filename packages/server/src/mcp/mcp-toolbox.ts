import { type Clock, type LocalTool, sleep } from '@chatd/loop';
import type { ChatRow } from '../chat/row.ts';
import { type McpServerRow, needsSignIn } from '../store/mcp-servers.ts';
import { mcpServersOfChat } from '../store/queries/mcp-servers.ts';
import { signedInServers } from '../store/queries/mcp-sessions.ts';
import type { Queryable } from '../store/statement.ts';
import type { Toolbox, ToolsPreview, TurnTools } from '../tools/toolbox.ts';
import type { ToolListCache } from './tool-list-cache.ts';
import type { McpConnection } from './mcp-connection.ts';
import type { McpConnections } from './mcp-connections.ts';
import { McpFailure } from './mcp-failure.ts';
import { fits, type ToolBudget } from './tools/budget.ts';
import { chatTool } from './tools/chat-tool.ts';
import { findTools } from './tools/find-tools.ts';
import { foundTools } from './tools/found-tools.ts';
import { isAllowed } from './tools/patterns.ts';
import type { OfferedServer, WorkspaceServers } from './sandbox/workspace-servers.ts';
import type { ToolList } from './tools/server-tool.ts';
import { type ServerState, systemText } from './tools/system-text.ts';
import { toolNames } from './tools/tool-name.ts';

export interface McpToolboxOptions {
  readonly database: Queryable;
  readonly connections: McpConnections;
  readonly toolLists: ToolListCache;
  /** Undefined: this process has no workspaces. */
  readonly workspaceServers: WorkspaceServers | undefined;
  readonly budget: ToolBudget;
  readonly clock: Clock;
  /** How long a turn waits for a server before it starts without its tools. */
  readonly startMs: number;
}

interface Opened {
  readonly state: ServerState;
  readonly tools: readonly LocalTool[];
  changed(): Promise<boolean>;
}

/** The tools of a chat's MCP servers. If a server is not available, the turn runs without its tools. */
export class McpToolbox implements Toolbox {
  readonly source = 'mcp';
  readonly #with: McpToolboxOptions;

  constructor(options: McpToolboxOptions) {
    this.#with = options;
  }

  async open(chat: ChatRow): Promise<TurnTools> {
    const { budget } = this.#with;
    const opened = (await Promise.all([this.#openOwn(chat), this.#openInWorkspace(chat)])).flat();
    if (opened.length === 0) return { tools: [] };
    const tools = opened.flatMap((one) => one.tools);
    const states = opened.map(({ state }) => state);
    const changed = async () =>
      (await Promise.all(opened.map((one) => one.changed()))).includes(true);
    if (fits(tools, budget)) {
      return { tools, ...system(systemText(states, undefined)), changed };
    }
    const names = tools.map(({ name }) => name);
    const found = findTools(tools.map(({ name, description = '' }) => ({ name, description })));
    return {
      tools: [found, ...tools],
      ...system(systemText(states, { count: tools.length, budget })),
      changed,
      withheld(messages) {
        const offered = foundTools(messages);
        return new Set(names.filter((name) => !offered.has(name)));
      },
    };
  }

  async preview({ owner_id: userId, mcp_server_ids }: ChatRow): Promise<ToolsPreview> {
    if (mcp_server_ids.length === 0) return { tools: [] };
    const { database, toolLists } = this.#with;
    const [servers, signedIn] = await Promise.all([
      database.query(mcpServersOfChat, { ids: mcp_server_ids, owner_id: userId }),
      database.query(signedInServers, { user_id: userId }),
    ]);
    const sessions = new Set(signedIn.map(({ server_id }) => server_id));
    const previews = servers.map((server) => {
      const toolList = toolLists.get(server, userId);
      return { server, tools: toolList && offeredTools(server, toolList, PREVIEW_ONLY) };
    });
    return {
      tools: previews.flatMap(({ tools = [] }) => tools),
      context: {
        mcp_servers: previews.map(({ server, tools }) => ({
          id: server.id,
          name: server.name,
          sign_in_needed: needsSignIn(server) && !sessions.has(server.id),
          tools: tools?.length ?? null,
        })),
      },
    };
  }

  async #openOwn({
    id: chatId,
    owner_id: userId,
    mcp_server_ids: ids,
  }: ChatRow): Promise<Opened[]> {
    if (ids.length === 0) return [];
    const { database, connections, toolLists } = this.#with;
    const servers = await database.query(mcpServersOfChat, { ids, owner_id: userId });
    return await Promise.all(
      servers.map((server) => {
        const connection = connections.of(server, { chatId, userId });
        const calls = permittedCalls(database, server, userId, connection);
        return this.#open(server, connection, { calls, cached: toolLists.get(server, userId) });
      }),
    );
  }

  async #openInWorkspace(chat: ChatRow): Promise<Opened[]> {
    const { servers, failure } = (await this.#with.workspaceServers?.of(chat)) ?? { servers: [] };
    const opened = await Promise.all(
      servers.map(({ server, connection }) => this.#open(server, connection)),
    );
    if (failure === undefined) return opened;
    const state = { name: 'workspace', tools: 0, instructions: '', trouble: failure.message };
    return [...opened, { state, tools: [], changed: () => Promise.resolve(false) }];
  }

  async #open(
    server: OfferedServer,
    connection: McpConnection,
    {
      calls = connection,
      cached,
    }: { readonly calls?: Calls; readonly cached?: ToolList | undefined } = {},
  ): Promise<Opened> {
    try {
      const toolList = connection.known ?? cached ?? (await this.#soon(connection, server.name));
      const tools = offeredTools(server, toolList, calls);
      const { instructions } = toolList;
      const state = { name: server.name, tools: tools.length, instructions };
      return {
        state,
        tools,
        changed: async () => differs(await connection.latest(), toolList),
      };
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      const trouble = error.message;
      return {
        state: { name: server.name, tools: 0, instructions: '', trouble },
        tools: [],
        // It may have responded since.
        changed: async () => (await connection.latest()) !== undefined,
      };
    }
  }

  /** Connecting continues in the background, for the next turn. */
  async #soon(connection: McpConnection, name: string): Promise<ToolList> {
    const { clock, startMs } = this.#with;
    const done = new AbortController();
    const connecting = connection.toolList();
    connecting.catch(() => undefined);
    try {
      const late = sleep(clock, startMs, done.signal).then(() => {
        throw new McpFailure(`${name} has not responded yet.`);
      });
      late.catch(() => undefined);
      return await Promise.race([connecting, late]);
    } finally {
      done.abort();
    }
  }
}

const differs = (now: ToolList | undefined, before: ToolList): boolean =>
  now !== undefined && now !== before && JSON.stringify(now.tools) !== JSON.stringify(before.tools);

type Calls = Pick<McpConnection, 'call'>;

/** The owner of a chat may leave the groups of a server during a turn. */
function permittedCalls(
  db: Queryable,
  server: McpServerRow,
  userId: string,
  connection: Calls,
): Calls {
  if (server.group_ids === null) return connection;
  return {
    async call(...call) {
      const [usable] = await db.query(mcpServersOfChat, { ids: [server.id], owner_id: userId });
      if (usable === undefined) {
        throw new McpFailure(
          `${server.name} is not available: an admin has disabled, deleted, or restricted it.`,
        );
      }
      return await connection.call(...call);
    },
  };
}

const PREVIEW_ONLY: Calls = {
  call: () => Promise.reject(new McpFailure('This tool is for preview only.')),
};

export function offeredTools(
  server: OfferedServer,
  { tools }: ToolList,
  connection: Calls,
): LocalTool[] {
  const allowed = tools.filter(({ name }) => isAllowed(name, server));
  const names = toolNames(
    server.name,
    tools.map(({ name }) => name),
  );
  return allowed.map((tool) =>
    chatTool(names.get(tool.name) ?? tool.name, tool, server, connection),
  );
}

const system = (text: string | undefined) => (text === undefined ? {} : { system: [text] });
