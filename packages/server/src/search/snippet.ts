import type { SearchMatch } from '@chatd/protocol';
import type { SearchWord } from './search-query.ts';

const BEFORE = 60;
const LENGTH = 200;
/** Characters on both sides of the match that are looked at, with all white space. */
const NEAR = 2000;
const ELLIPSIS = '…';
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/** The text around the first match, on one line, with the positions of all matches. */
export function snippetOf(
  text: string,
  words: readonly SearchWord[],
): Pick<SearchMatch, 'snippet' | 'highlights'> {
  const pattern = patternOf(words);
  const position = Math.max(0, text.search(pattern));
  const start = wholeCharacter(text, Math.max(0, position - NEAR));
  const end = wholeCharacter(text, position + NEAR);
  const line = text.slice(start, end).replaceAll(/\s+/gu, ' ').trim();
  const first = Math.max(0, line.search(pattern));
  const from = first <= BEFORE ? 0 : startOfWord(line, first - BEFORE);
  const to = line.length - from <= LENGTH ? line.length : endOfWord(line, from + LENGTH);
  const isCut = { before: start + from > 0, after: to < line.length || end < text.length };
  const snippet = `${isCut.before ? ELLIPSIS : ''}${line.slice(from, to)}${isCut.after ? ELLIPSIS : ''}`;
  const highlights = [...snippet.matchAll(pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  return { snippet, highlights };
}

/** Whole words, or word prefixes, as PostgreSQL finds them. */
function patternOf(words: readonly SearchWord[]): RegExp {
  const any = words
    .toSorted((a, b) => b.text.length - a.text.length)
    .map(
      ({ text, prefix }) =>
        text.replaceAll(SYNTAX, String.raw`\$&`) + (prefix ? String.raw`[\p{L}\p{N}]*` : ''),
    )
    .join('|');
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${any})(?![\p{L}\p{N}])`, 'giu');
}

/** The start of the next word, so that the snippet does not begin within one. */
function startOfWord(line: string, position: number): number {
  const space = line.indexOf(' ', position);
  return space === -1 || space > position + BEFORE / 2 ? wholeCharacter(line, position) : space + 1;
}

function endOfWord(line: string, position: number): number {
  const space = line.lastIndexOf(' ', position);
  return space < position - BEFORE / 2 ? wholeCharacter(line, position) : space;
}

/** Never within a surrogate pair. */
const wholeCharacter = (line: string, position: number): number =>
  /[\uDC00-\uDFFF]/.test(line[position] ?? '') ? position - 1 : position;
