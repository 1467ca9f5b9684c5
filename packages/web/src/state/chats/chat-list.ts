import type { Chat, WatchEvent } from '@chatd/protocol';
import { ChatdProblem } from '@chatd/client';
import { apiPath, client, link } from '../../api/client.ts';
import { isOwn } from '../access.ts';
import { Cell, type ReadableCell } from '../cell.ts';
import { LiveSocket } from '../live-socket.ts';
import { covers, type ListRange } from './list-range.ts';

export type ChatsById = ReadonlyMap<string, Chat>;

/** How far the list is loaded: there is `more`, or that is `all`. */
export type Paging = 'more' | 'loading' | 'failed' | 'all';

/** An optimistic change to a chat, until the server answers. Null: deleted. */
export type OptimisticChange = (chat: Chat) => Chat | null;

/** The size of a `/watch` snapshot: a smaller one is complete. */
const PAGE = 200;
const FIRST_AGENTS = 50;

/** All chats known to this page, subagents and archived chats included, kept current by `/watch`. */
export class ChatList {
  readonly chats = new Cell<ChatsById>(new Map());
  /** False until the first snapshot. */
  readonly loaded = new Cell(false);
  readonly #socket: LiveSocket | undefined;
  readonly #paging = new Cell<Paging>('loading');
  /** The chats as the server reported them, without optimistic changes. */
  readonly #known = new Map<string, Chat>();
  readonly #hopes = new Map<string, OptimisticChange[]>();
  readonly #held = new Map<string, number>();
  /** The last known versions of deleted chats: older answers must not bring them back. */
  readonly #gone = new Map<string, number>();
  /** Chats that changed while a page was loading: the page may hold older versions. */
  readonly #heard = new Set<string>();
  readonly #closing = new AbortController();
  /** The cursor of the next page; undefined: the end of the snapshot. */
  #cursor: string | null | undefined;
  #horizon: string | null = null;
  /** Counts snapshots: a page requested before a snapshot does not extend it. */
  #lists = 0;

  constructor() {
    // A link shows one chat.
    if (link !== undefined) return;
    this.#socket = new LiveSocket({
      path: () => apiPath('/watch'),
      onEvent: (event) => this.#hear(event as WatchEvent),
    });
  }

  get paging(): ReadableCell<Paging> {
    return this.#paging;
  }

  /** Chats active before this time may be missing. Null: the list is complete. */
  get horizon(): string | null {
    return this.#horizon;
  }

  /** Adds a chat from the answer of a call, which may be newer than the watched state. */
  readonly put = (...chats: readonly Chat[]): void => {
    let changed = false;
    for (const chat of chats) changed = this.#know(chat) || changed;
    if (changed) this.#publish();
  };

  readonly remove = (chatId: string): void => {
    const known = this.#known.get(chatId);
    if (known === undefined) return;
    this.#gone.set(chatId, known.snapshot_version);
    this.#known.delete(chatId);
    this.#publish();
  };

  /** Loads a chat that is not in the list because it is old, archived or a subagent. */
  async load(chatId: string): Promise<Chat> {
    const chat = await client.call('getChat', { params: { chat_id: chatId } });
    this.put(chat);
    return chat;
  }

  /** The most recent subagents of a chat. */
  async loadAgents(chatId: string): Promise<void> {
    try {
      const query = { parent_chat_id: chatId, limit: FIRST_AGENTS };
      const { chats } = await client.call('listChats', { query, signal: this.#closing.signal });
      this.put(...chats);
    } catch {
      // Changes are watched; they are loaded again when expanded.
    }
  }

  /** Applies an optimistic change until the returned function is called. */
  applyOptimistic(chatId: string, applyOptimistic: OptimisticChange): () => void {
    this.#hopes.set(chatId, [...(this.#hopes.get(chatId) ?? []), applyOptimistic]);
    this.#publish();
    return () => {
      const left = (this.#hopes.get(chatId) ?? []).filter((other) => other !== applyOptimistic);
      if (left.length === 0) this.#hopes.delete(chatId);
      else this.#hopes.set(chatId, left);
      this.#publish();
    };
  }

  /** An open chat is loaded again when a new snapshot does not include it. */
  hold(chatId: string): () => void {
    this.#held.set(chatId, (this.#held.get(chatId) ?? 0) + 1);
    return () => {
      const left = (this.#held.get(chatId) ?? 1) - 1;
      if (left === 0) this.#held.delete(chatId);
      else this.#held.set(chatId, left);
    };
  }

  /** Loads older chats. */
  async more(): Promise<void> {
    const paging = this.#paging.get();
    if (paging !== 'more' && paging !== 'failed') return;
    this.#paging.set('loading');
    try {
      // A snapshot has no cursor, so its chats are read again as a page.
      if (this.#cursor === undefined) await this.#readPage();
      if (typeof this.#cursor === 'string') await this.#readPage();
    } catch {
      return this.#paging.set('failed');
    }
    this.#paging.set(this.#cursor === null ? 'all' : 'more');
  }

  close(): void {
    this.#closing.abort();
    this.#socket?.close();
  }

  async #readPage(): Promise<void> {
    this.#heard.clear();
    const from = this.#cursor;
    const upper = typeof from === 'string' ? this.#horizon : null;
    const list = this.#lists;
    const { chats, next_cursor } = await client.call('listChats', {
      query: { limit: PAGE, ...(typeof from === 'string' && { cursor: from }) },
      signal: this.#closing.signal,
    });
    if (list !== this.#lists) return this.put(...chats);
    this.#cursor = next_cursor;
    this.#take(chats, { first: upper === null, upper, lower: endOf(chats, next_cursor !== null) });
  }

  #hear(event: WatchEvent): void {
    switch (event.type) {
      case 'snapshot':
        this.#hearAll(event.chats);
        break;
      case 'deleted':
        this.remove(event.chat.id);
        break;
      case 'ping':
        break;
      case 'created':
      case 'status_change':
      case 'title_change':
      case 'changed':
      case 'action_required':
        this.#heard.add(event.chat.id);
        this.put(event.chat);
    }
  }

  /** The initial snapshot, and one after every reconnect. Chats that it does not include may be deleted. */
  #hearAll(chats: readonly Chat[]): void {
    const named = new Set(chats.map(({ id }) => id));
    const roots = chats.filter((chat) => chat.parent_chat_id === undefined && isOwn(chat));
    const whole = roots.length < PAGE;
    const before = this.#horizon;
    this.#lists += 1;
    this.#heard.clear();
    this.#cursor = whole ? null : undefined;
    this.#take(chats, { first: true, upper: null, lower: endOf(roots, !whole) });
    this.#paging.set(whole ? 'all' : 'more');
    this.loaded.set(true);
    this.#forgetRevoked(named);
    for (const id of this.#held.keys()) if (!named.has(id)) void this.#look(id);
    // Keeps the scroll position of a user who has loaded more.
    if (!whole && before !== null && this.#horizon !== null && before < this.#horizon) {
      void this.#catchUp(before);
    }
  }

  /** Chats of other users that a snapshot does not include are no longer shared. */
  #forgetRevoked(named: ReadonlySet<string>): void {
    for (const chat of this.#known.values()) {
      if (!isOwn(chat) && !named.has(chat.id) && !this.#held.has(chat.id)) {
        this.#known.delete(chat.id);
      }
    }
    this.#publish();
  }

  async #look(chatId: string): Promise<void> {
    try {
      await this.load(chatId);
    } catch (error) {
      // The page that shows it reports this and other errors.
      if (!(error instanceof ChatdProblem) || error.status !== 404) return;
      this.#known.delete(chatId);
      this.#publish();
    }
  }

  async #catchUp(to: string): Promise<void> {
    while (this.#paging.get() === 'more' && this.#horizon !== null && this.#horizon > to) {
      await this.more();
    }
  }

  /** Replaces a range of the list: known chats in the range that are not included are removed. */
  #take(chats: readonly Chat[], range: ListRange): void {
    const named = new Set(chats.map(({ id }) => id));
    for (const chat of this.#known.values()) {
      const isListed = isOwn(chat) && covers(range, chat);
      const gone = isListed && !named.has(chat.id) && !this.#heard.has(chat.id);
      if (gone && !this.#held.has(chat.id)) this.#known.delete(chat.id);
    }
    for (const chat of chats) this.#know(chat);
    this.#horizon = range.lower;
    this.#publish();
  }

  #know(chat: Chat): boolean {
    const version = chat.snapshot_version;
    if ((this.#gone.get(chat.id) ?? -1) >= version) return false;
    // Roles and read marks in chats of other users are not part of the version.
    const known = this.#known.get(chat.id)?.snapshot_version ?? -1;
    if (known > version || (known === version && isOwn(chat))) return false;
    this.#gone.delete(chat.id);
    this.#known.set(chat.id, chat);
    return true;
  }

  #publish(): void {
    const shown = new Map(this.#known);
    for (const [id, hopes] of this.#hopes) {
      const known = shown.get(id);
      if (known === undefined) continue;
      const hoped = hopes.reduce<Chat | null>(
        (chat, applyOptimistic) => chat && applyOptimistic(chat),
        known,
      );
      if (hoped === null) shown.delete(id);
      else shown.set(id, hoped);
    }
    this.chats.set(shown);
  }
}

/** The older end of a page; null for the last page. */
function endOf(chats: readonly Chat[], more: boolean): string | null {
  if (!more) return null;
  // When pinned chats fill the page, nothing is known about the others.
  return chats.findLast(({ pin_order }) => pin_order === 0)?.active_at ?? '9999';
}
