import { statement } from '../statement.ts';
import { LISTED_COLUMNS, type ListedChat, timeOf } from './listed-chat.ts';

/**
 * Chats whose title or messages match $8, written as people write to search engines; its last word may be only
 * the beginning of one. PostgreSQL parses it and writes it back as text with every word quoted: where that ends
 * in a word, `:*` makes it a prefix. Nothing to look for finds nothing. Subagents are
 * found as well: what they said is part of what was said. Messages are found through
 * their GIN index; titles are read, since a user has few and an index over them would cost every turn.
 * $1: archived or not; $2: a status or null; $3: labels or null; $4, $5, $6: where the last page ended; $9: the
 * owner, or null for all.
 */
export const searchChats = statement<ListedChat>(
  'search-chats',
  `WITH parsed AS (
     SELECT websearch_to_tsquery('simple', $8)::text AS words
   ), asked AS (
     SELECT (CASE WHEN words LIKE '%''' THEN words || ':*' ELSE words END)::tsquery AS query FROM parsed
   )
   SELECT ${LISTED_COLUMNS}
     FROM asked, chats
    WHERE ($9::uuid IS NULL OR owner_id = $9) AND deleted_at IS NULL
      AND (to_tsvector('simple', chats.title) @@ asked.query
           OR chats.id IN (SELECT messages.chat_id FROM messages, asked
                            WHERE messages.search @@ asked.query))
      AND archived = $1
      AND ($2::text IS NULL OR status = $2)
      AND ($3::jsonb IS NULL OR labels @> $3)
      AND ($4::integer IS NULL
           OR ((pin_order = 0), pin_order) > ($4 = 0, $4)
           OR (pin_order = $4 AND (active_at, chats.id) < (${timeOf('$5')}, $6::uuid)))
    ORDER BY (pin_order = 0), pin_order, active_at DESC, chats.id DESC
    LIMIT $7`,
);
