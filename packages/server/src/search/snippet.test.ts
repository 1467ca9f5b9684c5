import { expect, test } from 'vitest';
import { snippetOf } from './snippet.ts';

const marked = (text: string, ...words: string[]) => {
  const searched = words.map((word) => ({
    text: word.replace('*', ''),
    prefix: word.endsWith('*'),
  }));
  const { snippet, highlights } = snippetOf(text, searched);
  return highlights.reduceRight(
    (line, { start, end }) =>
      `${line.slice(0, start)}[${line.slice(start, end)}]${line.slice(end)}`,
    snippet,
  );
};

test('a short text is shown whole, on one line', () => {
  expect(marked(' Plans for\n\nthe  garden ', 'garden')).toBe('Plans for the [garden]');
});

test('words match in any case, and a prefix marks the whole word', () => {
  expect(marked('Élan, GARDENS and gardeners', 'élan', 'garden*')).toBe(
    '[Élan], [GARDENS] and [gardeners]',
  );
});

test('a word does not match within another word', () => {
  expect(marked('the category of a cat', 'cat')).toBe('the category of a [cat]');
});

test('a long text is cut around the first match, between words', () => {
  const text = `${'before '.repeat(50)}needle${' after'.repeat(50)}`;
  const shown = marked(text, 'needle');
  expect(shown).toMatch(/^…(before )+\[needle\]( after)+…$/);
  expect(shown.length).toBeLessThan(220);
});

test('a match far from the beginning is found, with any white space around it', () => {
  const shown = marked(
    `${'a '.repeat(50_000)}${' '.repeat(5000)}needle${'\n'.repeat(5000)}`,
    'needle',
  );
  expect(shown).toBe('…[needle]…');
});

test('a text without spaces is cut, but never within a character', () => {
  const { snippet } = snippetOf('😀'.repeat(500), [{ text: 'x', prefix: false }]);
  expect(snippet.length).toBeLessThan(210);
  expect(snippet.isWellFormed()).toBe(true);
});

test('a text without a literal match is shown from its beginning', () => {
  expect(snippetOf('nothing here', [{ text: 'other', prefix: false }])).toEqual({
    snippet: 'nothing here',
    highlights: [],
  });
});
