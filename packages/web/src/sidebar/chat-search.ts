import type { Chat, SearchMatch } from '@chatd/protocol';
import { type Clock, systemClock } from '@chatd/protocol/clock';
import { client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { Cell } from '../state/cell.ts';
import type { ChatList } from '../state/chats/chat-list.ts';
import { byActivity } from '../state/chats/list-order.ts';
import { type Filter, matches, NO_FILTER, queryOf } from './filter.ts';

/** Debounce before the server is searched. */
const PAUSE_MS = 150;
const MOST = 50;
const NO_MATCHES: Found['matches'] = new Map();

export interface Found {
  readonly text: string;
  readonly ids: readonly string[];
  /** Matching messages, by chat. */
  readonly matches: ReadonlyMap<string, SearchMatch>;
  /** False while only titles known to the page are searched. */
  readonly ended: boolean;
  readonly error?: string;
}

/** Searches known titles immediately, then titles and messages on the server. */
export class ChatSearch {
  readonly text = new Cell('');
  readonly found = new Cell<Found | null>(null);
  readonly #list: ChatList;
  readonly #filter: () => Filter;
  readonly #clock: Clock;
  #forgetTimer: () => void = () => undefined;
  #asking = new AbortController();

  constructor(list: ChatList, filter: () => Filter = noFilter, clock: Clock = systemClock) {
    this.#list = list;
    this.#filter = filter;
    this.#clock = clock;
  }

  /** After the filter has changed. */
  readonly repeat = (): void => this.look(this.text.get());

  readonly look = (text: string): void => {
    this.text.set(text);
    this.#forgetTimer();
    this.#asking.abort();
    const words = text.trim();
    if (words === '') return this.found.set(null);
    // The server searches only the user's own chats.
    const ended = this.#filter().shared === true;
    this.found.set({ text: words, ids: this.#titled(words), matches: NO_MATCHES, ended });
    if (ended) return;
    this.#forgetTimer = this.#clock.after(PAUSE_MS, () => void this.#ask(words));
  };

  async #ask(words: string): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    const list = (archived: boolean) =>
      client.call('listChats', {
        query: { ...queryOf(this.#filter()), q: words, archived, limit: MOST },
        signal: asking.signal,
      });
    try {
      const pages = await Promise.all([list(false), list(true)]);
      if (asking.signal.aborted) return;
      const chats = pages.flatMap((page) => page.chats);
      this.#list.put(...chats);
      const hits = new Map(
        chats.flatMap(({ id, match }) => (match?.message_id === undefined ? [] : [[id, match]])),
      );
      this.found.set({ text: words, ids: chats.map(({ id }) => id), matches: hits, ended: true });
    } catch (error) {
      if (asking.signal.aborted) return;
      const ids = this.#titled(words);
      this.found.set({ text: words, ids, matches: NO_MATCHES, ended: true, error: explain(error) });
    }
  }

  /** Chats whose titles match. */
  #titled(words: string): string[] {
    const filter = this.#filter();
    const wanted = words.toLowerCase().split(/\s+/);
    const has = ({ title }: Chat) => wanted.every((word) => title.toLowerCase().includes(word));
    return [...this.#list.chats.get().values()]
      .filter((chat) => has(chat) && matches(filter, chat) && filter.minCostMicros === undefined)
      .sort((a, b) => Number(a.archived) - Number(b.archived) || byActivity(a, b))
      .slice(0, MOST)
      .map(({ id }) => id);
  }
}

const noFilter = () => NO_FILTER;
