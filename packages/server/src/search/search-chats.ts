import type { SearchMatch } from '@chatd/protocol';
import type { Database } from '../store/database.ts';
import {
  type FoundChat,
  parseSearch,
  preferIndexes,
  searchChats,
} from '../store/queries/search/search-chats.ts';
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
}

export interface SearchResult {
  readonly rows: readonly FoundChat[];
  /** For snippets. */
  readonly words: readonly SearchWord[];
}

/** A search without words finds nothing. */
export const findChats = (database: Database, filter: SearchFilter): Promise<SearchResult> =>
  database.readTransaction(async (tx) => {
    const [parsed] = await Promise.all([
      tx.query(parseSearch, { text: filter.text }),
      tx.query(preferIndexes),
    ]);
    const query = parseSearchQuery(onlyRow(parsed).query);
    if (query === null) return { rows: [], words: [] };
    const { ownerId, archived, projectId, after, limit } = filter;
    const rows = await tx.query(ownerId === null ? searchChats.all : searchChats.own, {
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
    });
    return { rows, words: query.words };
  });

/** The matching words in a message of the chat, else in its title. */
export function matchOf(
  { title, message_id, message_text }: FoundChat,
  words: readonly SearchWord[],
): SearchMatch {
  if (message_id === null) return snippetOf(title, words);
  return { message_id, ...snippetOf(message_text ?? '', words) };
}
