import type { QueryOf } from '@chatd/client';
import type { Chat } from '@chatd/protocol';
import { Cell } from '../state/cell.ts';
import type { ChatList, Paging } from '../state/chats/chat-list.ts';
import { Pager } from '../state/chats/pager.ts';
import {
  type Filter,
  isFiltered,
  matches,
  NO_FILTER,
  queryOf,
  withoutConflicts,
} from './filter.ts';
import { ChatSearch } from './chat-search.ts';

/** Expanded sections, filter and search of the chat list. Kept while the drawer is closed. */
export class SidebarView {
  readonly search: ChatSearch;
  readonly #list: ChatList;
  readonly #filter = new Cell(NO_FILTER);
  readonly #open = new Cell<ReadonlyMap<string, Paging>>(new Map());
  readonly #openProjects = new Cell<ReadonlyMap<string, Paging>>(new Map());
  readonly #pagers = new Map<string, Pager>();
  /** Undefined: collapsed. */
  readonly archived = new Cell<Paging | undefined>(undefined);
  /** How far the filtered chats are loaded. */
  readonly filtered = new Cell<Paging>('all');
  #archivedPager: Pager | undefined;
  #filterPager: Pager | undefined;

  constructor(list: ChatList) {
    this.#list = list;
    this.search = new ChatSearch(list, () => this.#filter.get());
  }

  get filter(): Pick<Cell<Filter>, 'get' | 'subscribe'> {
    return this.#filter;
  }

  get open(): Pick<Cell<ReadonlyMap<string, Paging>>, 'get' | 'subscribe'> {
    return this.#open;
  }

  /** Whether a chat may be shown with the current filter. Only the server knows costs. */
  readonly shows = (chat: Chat): boolean => {
    const filter = this.#filter.get();
    return (
      matches(filter, chat) &&
      (filter.minCostMicros === undefined || this.#filterPager?.ids.has(chat.id) === true)
    );
  };

  readonly setFilter = (wanted: Filter): void => {
    const filter = withoutConflicts(wanted);
    this.#filter.set(filter);
    this.search.repeat();
    this.#filterPager = undefined;
    this.filtered.set('all');
    if (!isFiltered(filter)) return;
    const pager = this.#pager(queryOf(filter), (paging) => {
      if (this.#filterPager === pager) this.filtered.set(paging);
    });
    this.#filterPager = pager;
    void pager.more();
  };

  /** Expands or collapses the subagents of a chat. */
  readonly toggle = (chatId: string): void => {
    if (this.#open.get().has(chatId)) this.fold(chatId);
    else this.unfold(chatId);
  };

  readonly fold = (chatId: string): void => {
    this.#pagers.delete(chatId);
    this.#open.update((open) => new Map([...open].filter(([id]) => id !== chatId)));
  };

  readonly unfold = (chatId: string): void => {
    if (this.#pagers.has(chatId)) return;
    const tell = (paging: Paging) => {
      if (this.#pagers.get(chatId) !== pager) return;
      this.#open.update((open) => new Map(open).set(chatId, paging));
    };
    const pager = this.#pager({ parent_chat_id: chatId }, tell);
    this.#pagers.set(chatId, pager);
    tell('loading');
    void pager.more();
  };

  get openProjects(): Pick<Cell<ReadonlyMap<string, Paging>>, 'get' | 'subscribe'> {
    return this.#openProjects;
  }

  readonly toggleProject = (projectId: string): void => {
    const key = `project-${projectId}`;
    if (this.#pagers.delete(key)) {
      this.#openProjects.update((open) => new Map([...open].filter(([id]) => id !== projectId)));
      return;
    }
    const tell = (paging: Paging) => {
      if (this.#pagers.get(key) !== pager) return;
      this.#openProjects.update((open) => new Map(open).set(projectId, paging));
    };
    const pager = this.#pager({ project_id: projectId }, tell);
    this.#pagers.set(key, pager);
    tell('loading');
    void pager.more();
  };

  readonly toggleArchived = (): void => {
    if (this.#archivedPager !== undefined) {
      this.#archivedPager = undefined;
      this.archived.set(undefined);
      return;
    }
    const pager = this.#pager({ archived: true }, (paging) => {
      if (this.#archivedPager === pager) this.archived.set(paging);
    });
    this.#archivedPager = pager;
    this.archived.set('loading');
    void pager.more();
  };

  /** Loads more at the end of a list. `key` is that of its last row. */
  readonly more = (key: string): void => {
    if (key === 'end-archived') void this.#archivedPager?.more();
    else if (key !== 'end') void this.#pagers.get(key.slice('end-'.length))?.more();
    else if (this.#filterPager !== undefined) void this.#filterPager.more();
    else void this.#list.more();
  };

  #pager(query: QueryOf<'listChats'>, tell: (paging: Paging) => void): Pager {
    const pager = new Pager(this.#list, query);
    pager.paging.subscribe(() => tell(pager.paging.get()));
    return pager;
  }
}

const byList = new WeakMap<ChatList, SidebarView>();

export function sidebarViewOf(list: ChatList): SidebarView {
  const known = byList.get(list);
  if (known !== undefined) return known;
  const made = new SidebarView(list);
  byList.set(list, made);
  return made;
}
