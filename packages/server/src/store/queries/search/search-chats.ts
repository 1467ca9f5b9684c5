import { statement } from '../../statement.ts';
import { LISTED_COLUMNS, type ListedChat, timeOf } from '../chats/columns.ts';
import { isSearchable, messageLexeme, ownerLexeme, textOf } from './fragments.ts';

/** Reads a search as people write it for search engines: `"a phrase"`, `-without`, `this or that`. */
export const parseSearch = statement<{ query: string }>(
  'parse-search',
  `SELECT websearch_to_tsquery('simple', $1)::text AS query`,
);

/** A chat that a search found. */
export type FoundChat = ListedChat & {
  /** Whether the title matches; such chats come first. */
  readonly in_title: boolean;
  /** A message that matches: of the newest segment with one, the newest. Null if only the title does. */
  readonly message_id: number | null;
  readonly message_text: string | null;
};

/** Messages of one chat, and of one owner, that a search reads because they are not indexed yet, newest first. */
const PENDING_OF_CHAT = 100;
const PENDING_OF_OWNER = 500;

/**
 * Chats of an owner that may match. The index yields segments of this owner only, and needs no look at their words.
 * Titles and pending messages are read; an owner has few of both.
 */
const candidatesOf = (owner: string): string =>
  `SELECT found.chat_id, bool_or(found.in_title) AS in_title, max(found.pending_id) AS pending_id,
          array_agg(found.segment_id ORDER BY found.segment_id DESC)
            FILTER (WHERE found.segment_id IS NOT NULL) AS segment_ids
     FROM (SELECT segments.chat_id, false AS in_title, segments.last_id AS segment_id, NULL::bigint AS pending_id
             FROM search_segments AS segments
            WHERE segments.words @@ (${ownerLexeme(owner)} || ' & (' || $3 || ')')::tsquery
           UNION ALL
           SELECT pending.chat_id, false, NULL, pending.id
             FROM (SELECT message.chat_id, message.id, message.text
                     FROM search_pending
                    CROSS JOIN LATERAL (
                      SELECT messages.chat_id, messages.id, ${textOf('messages')} AS text
                        FROM messages
                       WHERE messages.chat_id = search_pending.chat_id AND messages.id >= search_pending.from_id
                         AND ${isSearchable('messages')}
                       ORDER BY messages.id DESC
                       LIMIT ${PENDING_OF_CHAT}) AS message
                    WHERE search_pending.owner_id = ${owner}
                    LIMIT ${PENDING_OF_OWNER}) AS pending
            WHERE to_tsvector('simple', pending.text) @@ $2::tsquery
           UNION ALL
           SELECT titled.id, true, NULL, NULL
             FROM chats AS titled
            WHERE titled.owner_id = ${owner} AND titled.deleted_at IS NULL
              AND to_tsvector('simple', titled.title) @@ $2::tsquery) AS found
    GROUP BY found.chat_id`;

/** In a segment, the number of the newest message that matches. The series is read in its order, up to the first. */
const MATCHING_NUMBER = `
  SELECT number
    FROM generate_series(cardinality(segment.message_ids), 1, -1) AS number
   WHERE segment.words @@ ('(' || $4 || ') <0> ' || ${messageLexeme('number')})::tsquery
     AND (NOT $5::boolean OR EXISTS (
           SELECT FROM messages
            WHERE messages.chat_id = candidate.id AND messages.id = segment.message_ids[number]
              AND to_tsvector('simple', ${textOf('messages')}) @@ $2::tsquery))
   LIMIT 1`;

const IN_ORDER = 'ORDER BY in_title DESC, active_at DESC, id DESC';

/**
 * Chats whose title or messages match, subagents included: those with a matching title first, then by newest activity.
 * The candidates are sorted first; then each is checked message by message, only as far as the page needs it.
 * $1: the owner; $2 to $4: `message`, `segment` and `together` of the query; $5: `hasPhrase`; $6: archived or not;
 * $7: a status or null; $8: labels or null; $9, $10, $11: where the last page ended; $12: the limit.
 */
const searchAmong = (name: string, candidates: string) =>
  statement<FoundChat>(
    name,
    `SELECT candidate.*, message.id AS message_id, message.text AS message_text
       FROM (SELECT ${LISTED_COLUMNS}, found.in_title, found.pending_id, found.segment_ids
               FROM (${candidates}) AS found JOIN chats ON chats.id = found.chat_id
              WHERE chats.deleted_at IS NULL
                AND chats.archived = $6
                AND ($7::text IS NULL OR chats.status = $7)
                AND ($8::jsonb IS NULL OR chats.labels @> $8)
                AND ($9::boolean IS NULL
                     OR (found.in_title::int, chats.active_at, chats.id)
                        < ($9::boolean::int, ${timeOf('$10')}, $11::uuid))
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
      LIMIT $12`,
  );

export const searchChats = {
  own: searchAmong('search-own-chats', candidatesOf('$1::uuid')),
  /** Of all owners, one after the other; $1 is null. */
  all: searchAmong(
    'search-all-chats',
    `SELECT owned.* FROM users CROSS JOIN LATERAL (${candidatesOf('users.id')}) AS owned
      WHERE $1::uuid IS NULL`,
  ),
};
