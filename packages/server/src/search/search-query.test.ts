import { expect, test } from 'vitest';
import { parseSearchQuery } from './search-query.ts';

test('the last word is a prefix', () => {
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

test('a word of one or two letters is not a prefix', () => {
  expect(parseSearchQuery(`'db'`)).toMatchObject({ message: `'db'`, segment: `('db')` });
});

test('a phrase is searched by its words, and checked in the message', () => {
  expect(parseSearchQuery(`'data' <-> 'in' <2> 'bases'`)).toMatchObject({
    message: `('data' <-> 'in' <2> 'bases':*)`,
    segment: `('data' & 'in' & 'bases':*)`,
    together: `('data' <0> 'in' <0> 'bases':*)`,
    hasPhrase: true,
  });
});

test('the words of an excluded phrase can occur separately', () => {
  expect(parseSearchQuery(`'data' & !( 'of' <-> 'fools' )`)).toMatchObject({
    message: `'data' & !('of' <-> 'fools')`,
    segment: `('data')`,
    together: `('data')`,
    hasPhrase: true,
    words: [{ text: 'data', prefix: false }],
  });
});

test('a word excluded from a message can occur in its segment', () => {
  expect(parseSearchQuery(`'one' & !'two' | 'three'`)).toMatchObject({
    message: `'one' & !'two' | 'three':*`,
    segment: `('one') | ('three':*)`,
    together: `('one' <0> !'two') | ('three':*)`,
  });
});

test.each([``, `!'one'`, `!'one' & !'two'`])('%j searches for nothing', (tsquery) => {
  expect(parseSearchQuery(tsquery)).toBeNull();
});

test('an alternative with only negations is left out', () => {
  expect(parseSearchQuery(`!'one' | 'two'`)).toMatchObject({ message: `'two':*` });
});

test('a quote within a word stays quoted', () => {
  expect(parseSearchQuery(`'o''clock'`)).toMatchObject({
    segment: `('o''clock':*)`,
    words: [{ text: `o'clock`, prefix: true }],
  });
});
