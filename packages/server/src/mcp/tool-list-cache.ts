import type { Clock } from '@chatd/loop';
import { needsSignIn, type McpServerRow } from '../store/mcp-servers.ts';
import type { ToolList } from './tools/server-tool.ts';

const KEPT_MS = 10 * 60_000;

/**
 * Recently listed tools, shared by the chats of this process, so that a turn that calls none of them need not connect.
 * Per user for servers with a sign-in, which may offer different tools to each.
 */
export class ToolListCache {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #offers = new Map<string, { revision: number; toolList: ToolList; at: number }>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  get(server: McpServerRow, userId: string): ToolList | undefined {
    const kept = this.#offers.get(keyOf(server, userId));
    const isFresh =
      kept !== undefined &&
      kept.revision === server.revision &&
      kept.at + KEPT_MS > this.#clock.now();
    return isFresh ? kept.toolList : undefined;
  }

  put(server: McpServerRow, userId: string, toolList: ToolList): void {
    const { revision } = server;
    const at = this.#clock.now();
    for (const [key, kept] of this.#offers) if (kept.at + KEPT_MS <= at) this.#offers.delete(key);
    this.#offers.set(keyOf(server, userId), { revision, toolList, at });
  }

  forget(server: Pick<McpServerRow, 'id' | 'auth'>, userId: string): void {
    this.#offers.delete(keyOf(server, userId));
  }
}

const keyOf = (server: Pick<McpServerRow, 'id' | 'auth'>, userId: string): string =>
  needsSignIn(server) ? `${server.id}/${userId}` : server.id;
