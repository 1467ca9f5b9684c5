import type { SearchMatch } from '@chatd/protocol';
import type { SearchWord } from './search-query.ts';

const BEFORE = 60;
const LENGTH = 200;
const ELLIPSIS = '…';
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/** The part of a text around the first word that was searched for, on one line, and where the words are in it. */
export function snippetOf(
  text: string,
  words: readonly SearchWord[],
): Pick<SearchMatch, 'snippet' | 'highlights'> {
  const pattern = patternOf(words);
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  const first = Math.max(0, line.search(pattern));
  const from = first <= BEFORE ? 0 : startOfWord(line, first - BEFORE);
  const to = line.length - from <= LENGTH ? line.length : endOfWord(line, from + LENGTH);
  const snippet = `${from > 0 ? ELLIPSIS : ''}${line.slice(from, to)}${to < line.length ? ELLIPSIS : ''}`;
  const highlights = [...snippet.matchAll(pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  return { snippet, highlights };
}

/** Words as PostgreSQL finds them: neither preceded nor, unless they are a beginning, followed by a letter or digit. */
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

/** Of the next word, so that the snippet does not begin within one; the place itself where the words are too long. */
function startOfWord(line: string, place: number): number {
  const space = line.indexOf(' ', place);
  return space === -1 || space > place + BEFORE / 2 ? wholeCharacter(line, place) : space + 1;
}

function endOfWord(line: string, place: number): number {
  const space = line.lastIndexOf(' ', place);
  return space < place - BEFORE / 2 ? wholeCharacter(line, place) : space;
}

/** Not between the two halves of a character. */
const wholeCharacter = (line: string, place: number): number =>
  /[\uDC00-\uDFFF]/.test(line[place] ?? '') ? place - 1 : place;
