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

/** Blocks new messages of the chat until the end of the transaction. No row: the chat is locked or deleted. */
export const lockChatForSearch = statement<{ chat_id: string }, { id: string }>(
  'lock-chat-for-search',
  `SELECT id FROM chats WHERE id = :chat_id FOR NO KEY UPDATE SKIP LOCKED`,
);

/** The first message to index. Locks the row until the end of the transaction. */
export const beginIndexing = statement<{ chat_id: string }, { from_id: number }>(
  'begin-indexing',
  `SELECT from_id FROM search_pending WHERE chat_id = :chat_id FOR UPDATE`,
);

/** The whole chat is indexed. */
export const endIndexing = statement<{ chat_id: string }, never>(
  'end-indexing',
  `DELETE FROM search_pending WHERE chat_id = :chat_id`,
);

/** The chat is indexed up to :from_id, exclusive. */
export const continueIndexing = statement<{ chat_id: string; from_id: number }, never>(
  'continue-indexing',
  `UPDATE search_pending SET from_id = :from_id WHERE chat_id = :chat_id`,
);

/** Max messages of a segment. A tsvector keeps up to 255 positions of a lexeme. */
const SEGMENT_MESSAGES = 128;
/** Max characters of a segment with several messages. PostgreSQL refuses a tsvector of more than 1 MB. */
const SEGMENT_CHARACTERS = 131_072;
/** Longer words are not indexed. PostgreSQL refuses lexemes of more than 2,046 bytes. */
const WORD_BYTES = 512;

/** Deletes the last segment if it is not full, so that the next one includes its messages. */
export const reopenSearchSegment = statement<{ chat_id: string }, { first_id: number }>(
  'reopen-search-segment',
  `DELETE FROM search_segments
    WHERE chat_id = :chat_id
      AND last_id = (SELECT max(last_id) FROM search_segments WHERE chat_id = :chat_id)
      AND NOT is_full
   RETURNING first_id`,
);

export interface WrittenSegment {
  /** Null: nothing to index. */
  readonly last_id: number | null;
  readonly more: boolean;
}

/** Writes one segment with messages from :from_id on. */
export const writeSearchSegment = statement<{ chat_id: string; from_id: number }, WrittenSegment>(
  'write-search-segment',
  `WITH texts AS (
     SELECT id, text, row_number() OVER (ORDER BY id) AS number,
            sum(length(text)) OVER (ORDER BY id) AS characters
       FROM (SELECT messages.id, ${textOf('messages')} AS text
               FROM messages
              WHERE messages.chat_id = :chat_id AND messages.id >= :from_id AND ${isSearchable('messages')}
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
     SELECT ${ownerLexeme('owner_id')} FROM chats WHERE id = :chat_id
   ), written AS (
     INSERT INTO search_segments (chat_id, owner_id, first_id, last_id, message_ids, is_full, words)
     SELECT chats.id, chats.owner_id, batch.first_id, batch.last_id, batch.ids,
            (SELECT count(*) FROM texts) > cardinality(batch.ids),
            (SELECT string_agg(entry, ' ') FROM lexemes)::tsvector
       FROM chats, (SELECT min(id) AS first_id, max(id) AS last_id, array_agg(id ORDER BY id) AS ids
                      FROM batch) AS batch
      WHERE chats.id = :chat_id AND batch.last_id IS NOT NULL
     RETURNING last_id
   )
   SELECT (SELECT last_id FROM written) AS last_id,
          (SELECT count(*) FROM texts) > (SELECT count(*) FROM batch) AS more`,
);
