import { statement } from '../../statement.ts';

export interface ExcerptRow {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** The beginning of the text of the first two and last four messages. */
export const titleExcerpt = statement<{ chat_id: string }, ExcerptRow>(
  'title-excerpt',
  `WITH said AS NOT MATERIALIZED (
     SELECT id, role,
            left((SELECT string_agg(part ->> 'text', E'\n')
                    FROM json_array_elements(content) AS part
                   WHERE part ->> 'type' = 'text'), 1500) AS text
       FROM messages
      WHERE chat_id = :chat_id AND NOT hidden AND role IN ('user', 'assistant')
   ), spoken AS NOT MATERIALIZED (
     SELECT * FROM said WHERE btrim(text, E' \t\r\n') <> ''
   )
   SELECT role, text
     FROM (SELECT * FROM (SELECT * FROM spoken ORDER BY id LIMIT 2) AS first
           UNION
           SELECT * FROM (SELECT * FROM spoken ORDER BY id DESC LIMIT 4) AS last) AS excerpt
    ORDER BY id`,
);
