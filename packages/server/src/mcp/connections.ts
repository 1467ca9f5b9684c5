import type { Clock } from '@chatd/loop';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import type { McpServerRow } from '../store/mcp-servers.ts';
import { findMcpServer } from '../store/queries/mcp-servers.ts';
import { Unreadable } from '../secrets/vault.ts';
import type { Accesses, McpAccess } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import type { ChatPins } from './chat-pins.ts';
import { Connection, type ConnectionOptions, type Timing } from './connection.ts';
import { McpFault } from './fault.ts';
import type { Fetch } from './fetch/mcp-fetch.ts';
import type { Programs } from './stdio/programs.ts';

export interface ConnectionsOptions {
  readonly database: Database;
  readonly accesses: Accesses;
  readonly catalogue: Catalogue;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly timing: Timing;
  readonly log: Logger;
  readonly version: string;
  readonly programs: Programs;
  /** Without use, until the program of a server ends. */
  readonly programIdleMs: number;
  /** Undefined where no chats run. */
  readonly pins: ChatPins | undefined;
}

/** For whom a connection is: a chat and the user it belongs to. */
export interface Party {
  readonly chatId: string;
  readonly userId: string;
}

interface Held {
  readonly connection: Connection;
  readonly serverId: string;
  readonly userId: string;
  readonly revision: number;
}

/** Its tools may be others now: the next turn asks anew. */
const CHANGED = 'it was changed while the turn was running, and is back with the next one';

/** The connections of this process: one for each server of a chat, never shared. */
export class Connections {
  readonly #with: ConnectionsOptions;
  readonly #held = new Map<string, Held>();
  #closed = false;

  constructor(options: ConnectionsOptions) {
    this.#with = options;
  }

  /** Its connection, new if the server is configured otherwise than when the last one was made. */
  of(server: McpServerRow, party: Party): Connection {
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
        // A turn may need it again that has had it from the beginning.
        onOffer: () => this.#keep(key, fresh),
        onIdle: () => this.#letGo(key, fresh),
        onOpen: () => this.#with.pins?.opened(party.chatId),
        onClose: () => this.#with.pins?.closed(party.chatId),
      }),
    };
    this.#keep(key, fresh);
    return fresh.connection;
  }

  /** One that is nobody's: whoever asked for it closes it. */
  make(
    server: McpServerRow,
    userId: string,
    told: Pick<ConnectionOptions, 'onIdle' | 'onOpen' | 'onClose'> & { onOffer?: () => void } = {},
  ): Connection {
    const { catalogue, fetch, clock, timing, programIdleMs, log, version } = this.#with;
    const { onOffer, ...others } = told;
    const idleMs = server.transport === 'stdio' ? programIdleMs : timing.idleMs;
    const connection: Connection = new Connection({
      name: server.name,
      version,
      timeoutMs: server.timeout_seconds * 1000,
      access: () => this.#accessFor(server, userId, () => connection),
      fetch,
      clock,
      timing: { ...timing, idleMs },
      log,
      ...others,
      onOffer(offer) {
        catalogue.put(server, userId, offer);
        onOffer?.();
      },
      onFailure: () => catalogue.forget(server, userId),
    });
    return connection;
  }

  /** A server was changed or deleted, or a user has signed in or out. */
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

  /** A program needs room first. */
  async #accessFor(
    server: McpServerRow,
    userId: string,
    connection: () => Connection,
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

  /** As it is now: a turn may be long, and an admin may have had enough of the server meanwhile. */
  async #access(server: McpServerRow, userId: string): Promise<McpAccess> {
    const { database, accesses } = this.#with;
    const [current] = await database.query(findMcpServer, [server.id, userId]);
    if (current === undefined || !current.enabled) {
      throw new McpFault(`${server.name} cannot be used: an admin has disabled or deleted it.`);
    }
    try {
      return accesses.of(current, userId);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      throw new McpFault(
        `${server.name} cannot be used: its stored secrets cannot be decrypted. An admin has to enter them again.`,
        { cause: error },
      );
    }
  }
}
