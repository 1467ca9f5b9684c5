import { statement } from '../../statement.ts';
import { CHAT_COLUMNS, LISTED_COLUMNS, type ListedChat, timeOf } from '../chats/columns.ts';
import { type FilterParams, FILTERS } from '../chats/list.ts';
import { isSearchable, messageLexeme, ownerLexeme, textOf } from './fragments.ts';

/** Web search syntax: `"a phrase"`, `-without`, `this or that`. */
export const parseSearch = statement<{ text: string }, { query: string }>(
  'parse-search',
  `SELECT websearch_to_tsquery('simple', :text)::text AS query`,
);

/**
 * For this transaction. The planner does not count the cost of reading words, which are stored apart, and would rather
 * read those of all owners than use the index.
 */
export const preferIndexes = statement<null, { set_config: string }>(
  'prefer-indexes',
  `SELECT set_config('enable_seqscan', 'off', true)`,
);

export interface SearchParams extends FilterParams {
  /** Null for chats of all owners. */
  owner_id: string | null;
  /** `message`, `segment` and `together` of the search query. */
  message_query: string;
  segment_query: string;
  together_query: string;
  has_phrase: boolean;
  archived: boolean;
  project_id: string | null;
  /** Where the last page ended. */
  after_in_title: boolean | null;
  after_activity: number | null;
  after_id: string | null;
  limit: number;
}

export type FoundChat = ListedChat & {
  /** The title matches. Such chats come first. */
  readonly in_title: boolean;
  /** The newest matching message of the newest matching segment. Null: only the title matches. */
  readonly message_id: number | null;
  readonly message_text: string | null;
};

/**
 * Max pending messages that a search reads, per chat and per owner, and their size as stored, newest first. Older and
 * larger ones are found when they are indexed.
 */
const PENDING_OF_CHAT = 100;
const PENDING_OF_OWNER = 500;
const PENDING_BYTES = 262_144;

/** Conditions of the chats to search in. */
interface Scope {
  readonly segments: string;
  readonly pending: string;
  readonly titled: string;
}

/** Chats of an owner. The index returns segments of this owner only, without reading their words. */
const ownedBy = (owner: string): Scope => ({
  segments: `segments.words @@ (${ownerLexeme(owner)} || ' & (' || :segment_query || ')')::tsquery`,
  pending: `search_pending.owner_id = ${owner}`,
  titled: `titled.owner_id = ${owner}`,
});

/** The chats :chat_ids. Their segments are found by primary key and word. */
const SHARED: Scope = {
  segments: `segments.chat_id = ANY (:chat_ids::uuid[]) AND segments.words @@ ('(' || :segment_query || ')')::tsquery`,
  pending: `search_pending.chat_id = ANY (:chat_ids::uuid[])`,
  titled: `titled.id = ANY (:chat_ids::uuid[])`,
};

/** Chats that may match. Titles and pending messages are read directly; an owner has few of both. */
const candidatesIn = ({ segments, pending, titled }: Scope): string =>
  `SELECT found.chat_id, bool_or(found.in_title) AS in_title, max(found.pending_id) AS pending_id,
          array_agg(found.segment_id ORDER BY found.segment_id DESC)
            FILTER (WHERE found.segment_id IS NOT NULL) AS segment_ids
     FROM (SELECT segments.chat_id, false AS in_title, segments.last_id AS segment_id, NULL::bigint AS pending_id
             FROM search_segments AS segments
            WHERE ${segments}
           UNION ALL
           SELECT pending.chat_id, false, NULL, pending.id
             FROM (SELECT message.chat_id, message.id, message.content,
                          sum(pg_column_size(message.content)) OVER (ORDER BY message.id DESC) AS bytes
                     FROM search_pending
                    CROSS JOIN LATERAL (
                      SELECT messages.chat_id, messages.id, messages.content
                        FROM messages
                       WHERE messages.chat_id = search_pending.chat_id AND messages.id >= search_pending.from_id
                         AND ${isSearchable('messages')} AND pg_column_size(messages.content) <= ${PENDING_BYTES}
                       ORDER BY messages.id DESC
                       LIMIT ${PENDING_OF_CHAT}) AS message
                    WHERE ${pending}
                    ORDER BY message.id DESC
                    LIMIT ${PENDING_OF_OWNER}) AS pending
            WHERE pending.bytes <= ${PENDING_BYTES}
              AND to_tsvector('simple', ${textOf('pending')}) @@ :message_query::tsquery
           UNION ALL
           SELECT titled.id, true, NULL, NULL
             FROM chats AS titled
            WHERE ${titled} AND titled.deleted_at IS NULL
              AND to_tsvector('simple', titled.title) @@ :message_query::tsquery) AS found
    GROUP BY found.chat_id`;

/** The number of the newest matching message in a segment. */
const MATCHING_NUMBER = `
  SELECT number
    FROM generate_series(cardinality(segment.message_ids), 1, -1) AS number
   WHERE segment.words @@ ('(' || :together_query || ') <0> ' || ${messageLexeme('number')})::tsquery
     AND (NOT :has_phrase::boolean OR EXISTS (
           SELECT FROM messages
            WHERE messages.chat_id = candidate.id AND messages.id = segment.message_ids[number]
              AND to_tsvector('simple', ${textOf('messages')}) @@ :message_query::tsquery))
   LIMIT 1`;

const IN_ORDER = 'ORDER BY in_title DESC, active_at DESC, id DESC';

/**
 * Chats with a matching title or message, subagents included: matching titles first, then by newest activity.
 * Candidates are sorted first, then checked message by message as far as the page needs it.
 */
const searchAmong = <Params extends object = SearchParams>(name: string, candidates: string) =>
  statement<Params, FoundChat>(
    name,
    `SELECT ${CHAT_COLUMNS.replaceAll('chats.', 'candidate.')}, candidate.activity, candidate.in_title,
            message.id AS message_id, message.text AS message_text
       FROM (SELECT ${LISTED_COLUMNS}, found.in_title, found.pending_id, found.segment_ids
               FROM (${candidates}) AS found JOIN chats ON chats.id = found.chat_id
              WHERE chats.deleted_at IS NULL
                AND chats.archived = :archived
                AND (:project_id::uuid IS NULL
                     OR coalesce(chats.project_id,
                                 (SELECT root.project_id FROM chats AS root WHERE root.id = chats.root_chat_id)) = :project_id)
                AND ${FILTERS}
                AND (:after_in_title::boolean IS NULL
                     OR (found.in_title::int, chats.active_at, chats.id)
                        < (:after_in_title::boolean::int, ${timeOf(':after_activity')}, :after_id::uuid))
              ${IN_ORDER}
             OFFSET 0) AS candidate
       LEFT JOIN LATERAL (
         SELECT segment.message_ids[matching.number] AS id
           FROM unnest(candidate.segment_ids) AS wanted (last_id)
          CROSS JOIN LATERAL (
            -- An expression, so that the words are read from their storage once for all messages.
            SELECT stored.message_ids, setweight(stored.words, 'D') AS words
              FROM search_segments AS stored
             WHERE stored.chat_id = candidate.id AND stored.last_id = wanted.last_id
            OFFSET 0) AS segment
          CROSS JOIN LATERAL (${MATCHING_NUMBER}) AS matching
          WHERE candidate.pending_id IS NULL
          LIMIT 1) AS indexed ON true
       LEFT JOIN LATERAL (
         SELECT messages.id, ${textOf('messages')} AS text
           FROM messages
          WHERE messages.chat_id = candidate.id AND messages.id = coalesce(candidate.pending_id, indexed.id)
         OFFSET 0) AS message ON true
      WHERE candidate.in_title OR message.id IS NOT NULL
      ${IN_ORDER.replaceAll(/(in_title|active_at|id) DESC/g, 'candidate.$1 DESC')}
      LIMIT :limit`,
  );

const OWN = candidatesIn(ownedBy(':owner_id::uuid'));

export const searchChats = {
  own: searchAmong('search-own-chats', OWN),
  /** Also chats of other users. */
  visible: searchAmong<SearchParams & { chat_ids: readonly string[] }>(
    'search-visible-chats',
    `${OWN} UNION ALL ${candidatesIn(SHARED)}`,
  ),
  /** For all owners. :owner_id must be null. */
  all: searchAmong(
    'search-all-chats',
    `SELECT owned.* FROM users CROSS JOIN LATERAL (${candidatesIn(ownedBy('users.id'))}) AS owned
      WHERE :owner_id::uuid IS NULL`,
  ),
};
