import { expect, test } from 'vitest';
import { parseSearchQuery } from './search-query.ts';

test('the last word may be the beginning of a longer one', () => {
  expect(parseSearchQuery(`'data' & 'migr'`)).toEqual({
    message: `'data' & 'migr':*`,
    segment: `('data' & 'migr':*)`,
    together: `('data' <0> 'migr':*)`,
    hasPhrase: false,
    words: [
      { text: 'data', prefix: false },
      { text: 'migr', prefix: true },
    ],
  });
});

test('one or two letters are a whole word', () => {
  expect(parseSearchQuery(`'db'`)).toMatchObject({ message: `'db'`, segment: `('db')` });
});

test('a phrase is looked for by its words, and checked in the message', () => {
  expect(parseSearchQuery(`'data' <-> 'in' <2> 'bases'`)).toMatchObject({
    message: `('data' <-> 'in' <2> 'bases':*)`,
    segment: `('data' & 'in' & 'bases':*)`,
    together: `('data' <0> 'in' <0> 'bases':*)`,
    hasPhrase: true,
  });
});

test('the words of a phrase that must not occur may occur', () => {
  expect(parseSearchQuery(`'data' & !( 'of' <-> 'fools' )`)).toMatchObject({
    message: `'data' & !('of' <-> 'fools')`,
    segment: `('data')`,
    together: `('data')`,
    hasPhrase: true,
    words: [{ text: 'data', prefix: false }],
  });
});

test('a word that must not occur in a message may occur in its segment', () => {
  expect(parseSearchQuery(`'one' & !'two' | 'three'`)).toMatchObject({
    message: `'one' & !'two' | 'three':*`,
    segment: `('one') | ('three':*)`,
    together: `('one' <0> !'two') | ('three':*)`,
  });
});

test.each([``, `!'one'`, `!'one' & !'two'`])('%j looks for nothing', (tsquery) => {
  expect(parseSearchQuery(tsquery)).toBeNull();
});

test('an alternative of negations only is left out', () => {
  expect(parseSearchQuery(`!'one' | 'two'`)).toMatchObject({ message: `'two':*` });
});

test('a quote within a word stays quoted', () => {
  expect(parseSearchQuery(`'o''clock'`)).toMatchObject({
    segment: `('o''clock':*)`,
    words: [{ text: `o'clock`, prefix: true }],
  });
});
