import { statement } from '../statement.ts';

/** Reads a search as people write it for search engines: `"a phrase"`, `-without`, `this or that`. */
export const parseSearch = statement<{ query: string }>(
  'parse-search',
  `SELECT websearch_to_tsquery('simple', $1)::text AS query`,
);
