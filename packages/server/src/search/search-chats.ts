import type { SearchMatch } from '@chatd/protocol';
import type { Database } from '../store/database.ts';
import {
  type FoundChat,
  parseSearch,
  preferIndexes,
  searchChats,
} from '../store/queries/search/search-chats.ts';
import { visibleChats, type VisibleChatRow } from '../store/queries/sharing/lists.ts';
import { onlyRow } from '../store/statement.ts';
import { type ChatFilter, filterParams } from '../store/chat-reads.ts';
import { parseSearchQuery, type SearchWord } from './search-query.ts';
import { snippetOf } from './snippet.ts';

/** Where a page of found chats ended. */
export interface SearchCursor {
  readonly in_title: boolean;
  readonly activity: number;
  readonly id: string;
}

export interface SearchFilter extends Omit<ChatFilter, 'after'> {
  readonly text: string;
  readonly after: SearchCursor | null;
  /** Also finds chats of other users that are shared with the owner. */
  readonly withShared: boolean;
}

export interface SearchResult {
  readonly rows: readonly FoundChat[];
  /** For snippets. */
  readonly words: readonly SearchWord[];
  /** What the owner is to found chats of other users, by id. */
  readonly guests: ReadonlyMap<string, VisibleChatRow>;
}

/** Of shared chats, the ones with the newest activity are searched. */
const MAX_SHARED = 1000;

/** A search without words finds nothing. */
export const findChats = (database: Database, filter: SearchFilter): Promise<SearchResult> =>
  database.readTransaction(async (tx) => {
    const { ownerId, archived, projectId, after, limit, withShared } = filter;
    const [, parsed, shared] = await Promise.all([
      tx.query(preferIndexes),
      tx.query(parseSearch, { text: filter.text }),
      withShared && ownerId !== null
        ? tx.query(visibleChats, { user_id: ownerId, limit: MAX_SHARED })
        : [],
    ]);
    const guests = new Map(shared.map((row) => [row.id, row]));
    const query = parseSearchQuery(onlyRow(parsed).query);
    if (query === null) return { rows: [], words: [], guests };
    const params = {
      owner_id: ownerId,
      message_query: query.message,
      segment_query: query.segment,
      together_query: query.together,
      has_phrase: query.hasPhrase,
      archived,
      project_id: projectId,
      ...filterParams(filter),
      after_in_title: after?.in_title ?? null,
      after_activity: after?.activity ?? null,
      after_id: after?.id ?? null,
      limit,
    };
    const rows =
      guests.size > 0
        ? await tx.query(searchChats.visible, { ...params, chat_ids: [...guests.keys()] })
        : await tx.query(ownerId === null ? searchChats.all : searchChats.own, params);
    return { rows, words: query.words, guests };
  });

/** The matching words in a message of the chat, else in its title. */
export function matchOf(
  { title, message_id, message_text }: FoundChat,
  words: readonly SearchWord[],
): SearchMatch {
  if (message_id === null) return snippetOf(title, words);
  return { message_id, ...snippetOf(message_text ?? '', words) };
}
