import type { Logger } from 'pino';
import type { ChatRow } from '../../chat/row.ts';
import { toJson } from '../../store/json.ts';
import { findChatContext, keepChatContext } from '../../store/queries/chat-contexts.ts';
import type { Queryable } from '../../store/statement.ts';
import type { Workspaces } from '../workspaces.ts';
import { WorkspaceContext } from './context.ts';
import { readContext } from './read-context.ts';

/**
 * The context of each chat, as it was when the chat first used its workspace. It stays fixed because providers cache
 * prompts only if they do not change. Switching the workspace or an explicit refresh reads it again.
 */
export class ChatContexts {
  readonly #database: Queryable;
  readonly #workspaces: Workspaces;
  readonly #log: Logger;

  constructor(options: { database: Queryable; workspaces: Workspaces; log: Logger }) {
    this.#database = options.database;
    this.#workspaces = options.workspaces;
    this.#log = options.log;
  }

  /** The context that the next turn would get, without storing it. */
  async preview(
    chat: ChatRow,
    workspaceId: string,
  ): Promise<{ context: WorkspaceContext | undefined; kept: boolean }> {
    const kept = await this.#kept(chat, workspaceId);
    if (kept !== undefined) return { context: kept, kept: true };
    return { context: await this.#read(chat, workspaceId), kept: false };
  }

  /** Undefined: the workspace cannot be read. */
  async of(chat: ChatRow, workspaceId: string): Promise<WorkspaceContext | undefined> {
    const kept = await this.#kept(chat, workspaceId);
    if (kept !== undefined) return kept;
    const context = await this.#read(chat, workspaceId);
    if (context === undefined) return undefined;
    await this.#database.query(keepChatContext, {
      chat_id: chat.id,
      workspace_id: workspaceId,
      context: toJson(context),
    });
    return context;
  }

  async #kept(chat: ChatRow, workspaceId: string): Promise<WorkspaceContext | undefined> {
    const [kept] = await this.#database.query(findChatContext, { chat_id: chat.id });
    if (kept?.workspace_id !== workspaceId) return undefined;
    const parsed = WorkspaceContext.safeParse(kept.context);
    return parsed.success ? parsed.data : undefined;
  }

  async #read(chat: ChatRow, workspaceId: string): Promise<WorkspaceContext | undefined> {
    const row = await this.#workspaces.find(workspaceId);
    if (row?.status !== 'ready') return undefined;
    try {
      return await readContext(await this.#workspaces.use(workspaceId));
    } catch (error) {
      this.#log.warn({ err: error, chat_id: chat.id }, 'reading the context of a workspace failed');
      return undefined;
    }
  }
}
