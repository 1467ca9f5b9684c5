import type { QueryOf } from '@chatd/client';
import { client } from '../../api/client.ts';
import { Cell } from '../cell.ts';
import type { ChatList, Paging } from './chat-list.ts';

const PAGE = 100;

/**
 * Loads chats that the list does not include by default, page by page: archived chats, subagents, chats with a label.
 */
export class Pager {
  readonly paging = new Cell<Paging>('more');
  /** The chats of all pages so far. */
  readonly ids = new Set<string>();
  readonly #list: ChatList;
  readonly #query: QueryOf<'listChats'>;
  #cursor: string | undefined;

  constructor(list: ChatList, query: QueryOf<'listChats'>) {
    this.#list = list;
    this.#query = query;
  }

  readonly more = async (): Promise<void> => {
    const paging = this.paging.get();
    if (paging === 'loading' || paging === 'all') return;
    this.paging.set('loading');
    try {
      const { chats, next_cursor } = await client.call('listChats', {
        query: {
          ...this.#query,
          limit: PAGE,
          ...(this.#cursor !== undefined && { cursor: this.#cursor }),
        },
      });
      for (const { id } of chats) this.ids.add(id);
      this.#list.put(...chats);
      this.#cursor = next_cursor ?? undefined;
      this.paging.set(next_cursor === null ? 'all' : 'more');
    } catch {
      this.paging.set('failed');
    }
  };
}
