/** A word, or a phrase of several, that a message must or must not contain. */
interface Term {
  readonly negated: boolean;
  /** As PostgreSQL writes them: quoted, the last one of a search with `:*`. */
  readonly words: readonly string[];
}

/** A search, in the forms that its statement needs. */
export interface SearchQuery {
  /** A tsquery on the words of one message. */
  readonly message: string;
  /** A tsquery for segments that contain all words, in any of their messages. */
  readonly segment: string;
  /** A tsquery for segments; with `<0>` and the lexeme of a message it matches if that message has all words. */
  readonly together: string;
  /** Whether the text must be checked, too: segments do not store the order of words. */
  readonly hasPhrase: boolean;
  /** Words to show in a snippet, without excluded ones. */
  readonly words: readonly SearchWord[];
}

export interface SearchWord {
  readonly text: string;
  /** Whether the word is a prefix. */
  readonly prefix: boolean;
}

/** Shorter words are not prefixes: they would match too many words. */
const SHORTEST_PREFIX = 3;

const TOKEN = /'(?:[^']|'')*'|<(?:-|\d+)>|[&|!()]/g;

/**
 * Parses the output of `websearch_to_tsquery`: alternatives of words, phrases and negations. The last word is a prefix.
 * Alternatives with negations only are dropped, since they would match nearly everything. Null: nothing to search for.
 */
export function parseSearchQuery(tsquery: string): SearchQuery | null {
  const tokens = tsquery.match(TOKEN) ?? [];
  const alternatives = alternativesOf(tokens).filter((terms) =>
    terms.some(({ negated }) => !negated),
  );
  if (alternatives.length === 0) return null;
  const terms = alternatives.flat();
  return {
    message: alternatives.map((all) => all.map(messageTerm).join(' & ')).join(' | '),
    segment: alternatives.map((all) => `(${positiveWords(all).join(' & ')})`).join(' | '),
    together: alternatives.map((all) => `(${checkableWords(all).join(' <0> ')})`).join(' | '),
    hasPhrase: terms.some(({ words }) => words.length > 1),
    words: terms.flatMap(({ negated, words }) => (negated ? [] : words.map(searchWord))),
  };
}

function alternativesOf(tokens: readonly string[]): Term[][] {
  const alternatives: Term[][] = [[]];
  let words: string[] = [];
  let negated = false;
  const endTerm = () => {
    if (words.length > 0) alternatives.at(-1)?.push({ negated, words });
    words = [];
    negated = false;
  };
  for (const [index, token] of tokens.entries()) {
    if (token.startsWith("'")) words.push(index === tokens.length - 1 ? asPrefix(token) : token);
    else if (token.startsWith('<')) words.push(token);
    else if (token === '!') negated = true;
    else if (token === '&') endTerm();
    else if (token === '|') {
      endTerm();
      alternatives.push([]);
    }
  }
  endTerm();
  return alternatives.map((terms) => terms.map(withoutOperators));
}

/** Keeps the phrase operators of PostgreSQL after the word before them. */
function withoutOperators({ negated, words }: Term): Term {
  const joined: string[] = [];
  for (const [index, word] of words.entries()) {
    if (word.startsWith('<')) continue;
    const operator = words[index + 1];
    joined.push(operator?.startsWith('<') === true ? `${word} ${operator}` : word);
  }
  return { negated, words: joined };
}

const messageTerm = ({ negated, words }: Term): string => {
  const phrase = words.length > 1 ? `(${words.join(' ')})` : words.join('');
  return negated ? `!${phrase}` : phrase;
};

const positiveWords = (terms: readonly Term[]): string[] =>
  terms.flatMap(({ negated, words }) => (negated ? [] : words.map(withoutDistance)));

/** An excluded phrase is left to the check of the text, since its words may occur. */
const checkableWords = (terms: readonly Term[]): string[] =>
  terms.flatMap(({ negated, words }) => {
    if (negated && words.length > 1) return [];
    return words.map((word) => (negated ? '!' : '') + withoutDistance(word));
  });

const withoutDistance = (word: string): string => word.replace(/ <(?:-|\d+)>$/, '');

/** Without quotes. */
const asPrefix = (word: string): string =>
  word.length - 2 >= SHORTEST_PREFIX ? `${word}:*` : word;

const searchWord = (word: string): SearchWord => {
  const [, quoted = ''] = /^'((?:[^']|'')*)'/.exec(word) ?? [];
  return { text: quoted.replaceAll("''", "'"), prefix: word.endsWith(':*') };
};
