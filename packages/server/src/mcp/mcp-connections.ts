import type { Clock } from '@chatd/loop';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import { type McpServerRow, needsSignIn } from '../store/mcp-servers.ts';
import { findMcpServer } from '../store/queries/mcp-servers.ts';
import { UnreadableSecret } from '../secrets/vault.ts';
import type { McpAccesses, McpAccess } from './access.ts';
import type { ToolListCache } from './tool-list-cache.ts';
import type { ChatPins } from './chat-pins.ts';
import { McpConnection, type McpConnectionOptions, type Timing } from './mcp-connection.ts';
import { McpFailure } from './mcp-failure.ts';
import type { Fetch } from './fetch/mcp-fetch.ts';
import type { ProtocolEras } from './protocol-eras.ts';
import type { Programs } from './stdio/programs.ts';

export interface McpConnectionsOptions {
  readonly database: Database;
  readonly accesses: McpAccesses;
  readonly toolLists: ToolListCache;
  readonly eras: ProtocolEras;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly timing: Timing;
  readonly log: Logger;
  readonly version: string;
  readonly programs: Programs;
  /** Idle time after which the program of a server is ended. */
  readonly programIdleMs: number;
  /** Undefined: this process runs no chats. */
  readonly pins: ChatPins | undefined;
}

export interface Party {
  readonly chatId: string;
  readonly userId: string;
}

interface Held {
  readonly connection: McpConnection;
  readonly serverId: string;
  readonly userId: string;
  readonly revision: number;
}

/** Forgets the tool list: the next turn requests it again. */
const CHANGED = 'it was changed during the turn, and is available again in the next turn';

/** The MCP connections of this process: one for each server of a chat, never shared. */
export class McpConnections {
  readonly #with: McpConnectionsOptions;
  readonly #held = new Map<string, Held>();
  #closed = false;

  constructor(options: McpConnectionsOptions) {
    this.#with = options;
  }

  /** Replaces the connection if the configuration of the server has changed. */
  of(server: McpServerRow, party: Party): McpConnection {
    const key = `${party.chatId}/${server.id}`;
    const held = this.#held.get(key);
    if (held?.revision === server.revision) return held.connection;
    void held?.connection.close(CHANGED);
    const { userId } = party;
    const fresh: Held = {
      serverId: server.id,
      userId,
      revision: server.revision,
      connection: this.make(server, userId, {
        onOffer: () => this.#keep(key, fresh),
        onIdle: () => this.#letGo(key, fresh),
        onOpen: () => this.#with.pins?.opened(party.chatId),
        onClose: () => this.#with.pins?.closed(party.chatId),
      }),
    };
    this.#keep(key, fresh);
    return fresh.connection;
  }

  /** A temporary connection, which the caller closes. */
  make(
    server: McpServerRow,
    userId: string,
    told: Pick<McpConnectionOptions, 'onIdle' | 'onOpen' | 'onClose'> & {
      onOffer?: () => void;
    } = {},
  ): McpConnection {
    const { toolLists, eras, fetch, clock, timing, programIdleMs, log, version } = this.#with;
    const { onOffer, ...others } = told;
    const idleMs = server.transport === 'stdio' ? programIdleMs : timing.idleMs;
    const connection: McpConnection = new McpConnection({
      name: server.name,
      version,
      timeoutMs: server.timeout_seconds * 1000,
      access: () => this.#accessFor(server, userId, () => connection),
      fetch,
      era: eras.of(`${server.id}/${server.revision}/${needsSignIn(server) ? userId : ''}`),
      clock,
      timing: { ...timing, idleMs },
      log,
      ...others,
      onOffer(toolList) {
        toolLists.put(server, userId, toolList);
        onOffer?.();
      },
      onFailure: () => toolLists.forget(server, userId),
    });
    return connection;
  }

  /** Call when a server was changed or deleted, or a user has signed in or out. */
  async end(serverId: string, userId?: string): Promise<void> {
    const ended = [...this.#held].filter(
      ([, held]) => held.serverId === serverId && (userId === undefined || held.userId === userId),
    );
    for (const [key] of ended) this.#held.delete(key);
    await Promise.all(ended.map(([, { connection }]) => connection.close(CHANGED)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(all.map(({ connection }) => connection.close()));
  }

  #keep(key: string, held: Held): void {
    if (this.#closed) void held.connection.close();
    else this.#held.set(key, held);
  }

  #letGo(key: string, held: Held): void {
    if (this.#held.get(key) === held) this.#held.delete(key);
  }

  /** Waits for capacity to start a program. */
  async #accessFor(
    server: McpServerRow,
    userId: string,
    connection: () => McpConnection,
  ): Promise<McpAccess> {
    const access = await this.#access(server, userId);
    if (access.transport !== 'stdio') return access;
    const onEnd = await this.#with.programs.reserve({
      userId,
      serverName: server.name,
      idleSince: () => connection().idleSince(),
      end: () => connection().rest(),
    });
    return { ...access, program: { ...access.program, onEnd } };
  }

  /** Reads the current row: an admin may have disabled the server during the turn. */
  async #access(server: McpServerRow, userId: string): Promise<McpAccess> {
    const { database, accesses } = this.#with;
    const [current] = await database.query(findMcpServer, { id: server.id, user_id: userId });
    if (current === undefined || !current.usable) {
      throw new McpFailure(
        `${server.name} is not available: an admin has disabled, deleted, or restricted it.`,
      );
    }
    try {
      return accesses.of(current, userId);
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      throw new McpFailure(
        `${server.name} is not available: its stored secrets cannot be decrypted. An admin must enter them again.`,
        { cause: error },
      );
    }
  }
}
