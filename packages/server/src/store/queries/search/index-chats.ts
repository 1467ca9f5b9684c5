import { statement } from '../../statement.ts';
import { isSearchable, messageLexeme, ownerLexeme, textOf } from './fragments.ts';

/** Chats with messages that have been pending for at least :delay_ms, oldest first, then newest chats first. */
export const pendingSearches = statement<{ delay_ms: number; limit: number }, { chat_id: string }>(
  'pending-searches',
  `SELECT chat_id FROM search_pending
    WHERE since <= now() - :delay_ms::bigint * interval '1 millisecond'
    ORDER BY since, chat_id DESC
    LIMIT :limit`,
);

/** Pending rows of deleted chats. Nothing else removes them. */
export const forgetGoneSearches = statement<{ chat_ids: readonly string[] }, { chat_id: string }>(
  'forget-gone-searches',
  `DELETE FROM search_pending
    WHERE chat_id = ANY (:chat_ids::uuid[])
      AND NOT EXISTS (SELECT FROM chats WHERE chats.id = search_pending.chat_id)
   RETURNING chat_id`,
);

/** Max messages of a segment. A tsvector keeps up to 255 positions of a lexeme. */
const SEGMENT_MESSAGES = 128;
/** Max characters of a segment with several messages. PostgreSQL refuses a tsvector of more than 1 MB. */
const SEGMENT_CHARACTERS = 131_072;
/** Longer words are not indexed. PostgreSQL refuses lexemes of more than 2,046 bytes. */
const WORD_BYTES = 512;

export interface IndexedSegment {
  /** Null: nothing to index, or the chat is busy. */
  readonly last_id: number | null;
  /** Further messages are pending. */
  readonly more: boolean;
}

/**
 * Writes one segment with pending messages of a chat. If the last segment is not full, the new one replaces it.
 *
 * The statement locks the chat, so no message is added while it runs. A chat that is locked, or has changed since the
 * statement began, is left for later, because the statement does not see its new messages or segments. Each new message
 * changes the version of the chat; another indexer deletes or changes the pending row.
 */
export const indexChat = statement<{ chat_id: string }, IndexedSegment>(
  'index-chat',
  `WITH chat AS MATERIALIZED (
     SELECT id, owner_id, snapshot_version FROM chats WHERE id = :chat_id FOR NO KEY UPDATE SKIP LOCKED
   ), locked AS MATERIALIZED (
     SELECT from_id FROM search_pending
      WHERE chat_id = :chat_id
        AND (SELECT snapshot_version FROM chat) = (SELECT snapshot_version FROM chats WHERE id = :chat_id)
        FOR UPDATE
   ), pending AS MATERIALIZED (
     SELECT from_id FROM locked
      WHERE from_id = (SELECT from_id FROM search_pending WHERE chat_id = :chat_id)
   ), reopened AS (
     DELETE FROM search_segments
      WHERE chat_id = :chat_id
        AND last_id = (SELECT max(last_id) FROM search_segments WHERE chat_id = :chat_id)
        AND NOT is_full AND EXISTS (SELECT FROM pending)
     RETURNING first_id
   ), texts AS (
     SELECT id, text, row_number() OVER (ORDER BY id) AS number,
            sum(length(text)) OVER (ORDER BY id) AS characters
       FROM (SELECT messages.id, ${textOf('messages')} AS text
               FROM messages
              WHERE messages.chat_id = :chat_id AND ${isSearchable('messages')}
                AND messages.id >= (SELECT least(from_id, (SELECT first_id FROM reopened)) FROM pending)
              ORDER BY messages.id) AS every
      WHERE text IS NOT NULL
      ORDER BY id
      LIMIT ${SEGMENT_MESSAGES} + 1
   ), batch AS (
     SELECT * FROM texts
      WHERE number = 1 OR (number <= ${SEGMENT_MESSAGES} AND characters <= ${SEGMENT_CHARACTERS})
   ), lexemes AS (
     SELECT '''' || replace(replace(word, '\\', '\\\\'), '''', '''''') || ''':' || string_agg(number::text, ',') AS entry
       FROM batch, unnest(tsvector_to_array(to_tsvector('simple', batch.text))) AS word
      WHERE octet_length(word) <= ${WORD_BYTES}
      GROUP BY word
     UNION ALL
     SELECT ${messageLexeme('number')} || ':' || number FROM batch
     UNION ALL
     SELECT ${ownerLexeme('owner_id')} FROM chat
   ), segment AS MATERIALIZED (
     SELECT min(id) AS first_id, max(id) AS last_id, array_agg(id ORDER BY id) AS ids,
            (SELECT count(*) FROM texts) > count(*) AS more
       FROM batch
   ), written AS (
     INSERT INTO search_segments (chat_id, owner_id, first_id, last_id, message_ids, is_full, words)
     SELECT chat.id, chat.owner_id, first_id, last_id, ids, more, (SELECT string_agg(entry, ' ') FROM lexemes)::tsvector
       FROM chat, segment
      WHERE last_id IS NOT NULL
   ), continued AS (
     UPDATE search_pending SET from_id = last_id + 1 FROM segment WHERE chat_id = :chat_id AND more
   ), ended AS (
     DELETE FROM search_pending USING pending WHERE chat_id = :chat_id AND NOT (SELECT more FROM segment)
   )
   SELECT last_id, more FROM segment`,
);
