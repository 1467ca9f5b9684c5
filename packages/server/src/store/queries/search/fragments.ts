/** SQL that the indexer and the search share. */

/** PostgreSQL refuses a tsvector of more than 1 MB. */
const TEXT_LIMIT = 65_536;

/** Messages that a search can find. */
export const isSearchable = (message: string): string =>
  `${message}.role IN ('user', 'assistant') AND NOT ${message}.hidden`;

/** The text of a message. Null: none. */
export const textOf = (message: string): string =>
  `(SELECT left(string_agg(part ->> 'text', E'\\n'), ${TEXT_LIMIT})
     FROM json_array_elements(${message}.content) AS part
    WHERE part ->> 'type' = 'text' AND part ->> 'text' <> '')`;

/** The lexeme of an owner, quoted for a tsquery. Words never begin with `@`. */
export const ownerLexeme = (owner: string): string => `'''@' || ${owner} || ''''`;

/** The lexeme of a message in its segment, quoted. Words never begin with `#`. */
export const messageLexeme = (number: string): string => `'''#' || ${number} || ''''`;
