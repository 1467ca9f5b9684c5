import type { Chat, WatchEvent } from '@chatd/protocol';
import { apiPath, client } from '../../api/client.ts';
import { Cell, type ReadableCell } from '../cell.ts';
import { LiveSocket } from '../live-socket.ts';
import { whyRefused } from '../why-refused.ts';
import { covers, type Range } from './list-range.ts';

export type ChatsById = ReadonlyMap<string, Chat>;

/** How far down the list of chats is known: `more` there are, or that is `all`. */
export type Paging = 'more' | 'loading' | 'failed' | 'all';

/** What was asked for and is not answered: the chat as if it were done, null for one that is gone. */
export type Hope = (chat: Chat) => Chat | null;

/** As many as a snapshot of `/watch` holds: one that holds fewer holds all. */
const PAGE = 200;
const FIRST_AGENTS = 50;

/** Every chat that this page has heard of, kept current by `/watch`: subagents and archived ones too. */
export class ChatList {
  readonly chats = new Cell<ChatsById>(new Map());
  /** False until the first list is there. */
  readonly loaded = new Cell(false);
  readonly socket: LiveSocket;
  readonly #paging = new Cell<Paging>('loading');
  /** As the server told, without what is hoped for. */
  readonly #known = new Map<string, Chat>();
  readonly #hopes = new Map<string, Hope[]>();
  readonly #held = new Map<string, number>();
  /** Deleted chats with the last version that was known: an answer that is older must not bring them back. */
  readonly #gone = new Map<string, number>();
  /** Chats that were told of while a page was on its way: it may be older than they are. */
  readonly #heard = new Set<string>();
  readonly #closing = new AbortController();
  /** Where the next page begins; undefined: where the snapshot ended. */
  #cursor: string | null | undefined;
  #horizon: string | null = null;
  /** Counts the lists that came: a page that was asked for before says nothing of where this one ends. */
  #lists = 0;

  constructor() {
    this.socket = new LiveSocket({
      path: () => apiPath('/watch'),
      onEvent: (event) => this.#hear(event as WatchEvent),
      whyRefused,
    });
  }

  get paging(): ReadableCell<Paging> {
    return this.#paging;
  }

  /** Chats that were active before this time may be missing; null: none is. */
  get horizon(): string | null {
    return this.#horizon;
  }

  /** What a call has answered may be newer than what was heard. */
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

  /** One that the list did not name, because it is old, archived or a subagent's. */
  async load(chatId: string): Promise<Chat> {
    const chat = await client.call('getChat', { params: { chat_id: chatId } });
    this.put(chat);
    return chat;
  }

  /** The subagents of a chat that were active last, if it has any. */
  async loadAgents(chatId: string): Promise<void> {
    try {
      const query = { parent_chat_id: chatId, limit: FIRST_AGENTS };
      const { chats } = await client.call('listChats', { query, signal: this.#closing.signal });
      this.put(...chats);
    } catch {
      // They are told of when something happens to them, and asked for again when they are unfolded.
    }
  }

  /** Shows a change until the function that it answers is called: then what is known counts again. */
  hope(chatId: string, hope: Hope): () => void {
    this.#hopes.set(chatId, [...(this.#hopes.get(chatId) ?? []), hope]);
    this.#publish();
    return () => {
      const left = (this.#hopes.get(chatId) ?? []).filter((other) => other !== hope);
      if (left.length === 0) this.#hopes.delete(chatId);
      else this.#hopes.set(chatId, left);
      this.#publish();
    };
  }

  /** A page shows this chat: it is asked for again when a new list does not name it. */
  hold(chatId: string): () => void {
    this.#held.set(chatId, (this.#held.get(chatId) ?? 0) + 1);
    return () => {
      const left = (this.#held.get(chatId) ?? 1) - 1;
      if (left === 0) this.#held.delete(chatId);
      else this.#held.set(chatId, left);
    };
  }

  /** Older chats. */
  async more(): Promise<void> {
    const paging = this.#paging.get();
    if (paging !== 'more' && paging !== 'failed') return;
    this.#paging.set('loading');
    try {
      // The snapshot says nothing of where it ended: its chats are read once more, as a page.
      if (this.#cursor === undefined) await this.#readPage();
      if (typeof this.#cursor === 'string') await this.#readPage();
    } catch {
      return this.#paging.set('failed');
    }
    this.#paging.set(this.#cursor === null ? 'all' : 'more');
  }

  close(): void {
    this.#closing.abort();
    this.socket.close();
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

  /** At the beginning, and after every break: what it does not name may be gone. */
  #hearAll(chats: readonly Chat[]): void {
    const roots = chats.filter(({ parent_chat_id }) => parent_chat_id === undefined);
    const whole = roots.length < PAGE;
    const before = this.#horizon;
    this.#lists += 1;
    this.#heard.clear();
    this.#cursor = whole ? null : undefined;
    this.#take(chats, { first: true, upper: null, lower: endOf(roots, !whole) });
    this.#paging.set(whole ? 'all' : 'more');
    this.loaded.set(true);
    const named = new Set(chats.map(({ id }) => id));
    for (const id of this.#held.keys()) if (!named.has(id)) void this.#look(id);
    // Whoever had scrolled further down stays there.
    if (!whole && before !== null && this.#horizon !== null && before < this.#horizon) {
      void this.#catchUp(before);
    }
  }

  async #look(chatId: string): Promise<void> {
    try {
      await this.load(chatId);
    } catch {
      // The page that shows it asks itself, and says why.
    }
  }

  async #catchUp(to: string): Promise<void> {
    while (this.#paging.get() === 'more' && this.#horizon !== null && this.#horizon > to) {
      await this.more();
    }
  }

  /** A stretch of the list as it is now: what was known in it and is not named is not there any more. */
  #take(chats: readonly Chat[], range: Range): void {
    const named = new Set(chats.map(({ id }) => id));
    for (const chat of this.#known.values()) {
      const gone = covers(range, chat) && !named.has(chat.id) && !this.#heard.has(chat.id);
      if (gone && !this.#held.has(chat.id)) this.#known.delete(chat.id);
    }
    for (const chat of chats) this.#know(chat);
    this.#horizon = range.lower;
    this.#publish();
  }

  #know(chat: Chat): boolean {
    const version = this.#known.get(chat.id)?.snapshot_version ?? this.#gone.get(chat.id) ?? -1;
    if (version >= chat.snapshot_version) return false;
    this.#gone.delete(chat.id);
    this.#known.set(chat.id, chat);
    return true;
  }

  #publish(): void {
    const shown = new Map(this.#known);
    for (const [id, hopes] of this.#hopes) {
      const known = shown.get(id);
      if (known === undefined) continue;
      const hoped = hopes.reduce<Chat | null>((chat, hope) => chat && hope(chat), known);
      if (hoped === null) shown.delete(id);
      else shown.set(id, hoped);
    }
    this.chats.set(shown);
  }
}

/** Down to where a page of the list reaches: null when it is the last one. */
function endOf(chats: readonly Chat[], more: boolean): string | null {
  if (!more) return null;
  // With more pinned ones than a page holds, nothing is known of the others.
  return chats.findLast(({ pin_order }) => pin_order === 0)?.active_at ?? '9999';
}
