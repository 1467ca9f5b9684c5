import { expect, test } from 'vitest';
import { cleanTitle } from './clean-title.ts';

test.each([
  ['Sorting lists in Rust', 'Sorting lists in Rust'],
  ['"Sorting lists in Rust."', 'Sorting lists in Rust'],
  ['“Sorting lists in Rust”.', 'Sorting lists in Rust'],
  ['« Trier des listes »', 'Trier des listes'],
  ['**Sorting lists in Rust**\n', 'Sorting lists in Rust'],
  ['# Sorting `Vec<T>` lists', 'Sorting Vec lists'],
  ['Title: Sorting lists', 'Sorting lists'],
  ['**Title:** "Sorting lists"', 'Sorting lists'],
  ['1. Sorting lists\n2. Lists, sorted', 'Sorting lists'],
  ['\n\n  Sorting\tlists  \n\nI chose this because …', 'Sorting lists'],
  ['<think>What is it about?\nLists.</think>\nSorting lists', 'Sorting lists'],
  ['What is it about? Lists.</think>Sorting lists', 'Sorting lists'],
  ['[Sorting lists](https://example.com)', 'Sorting lists'],
  ['Why is `snake_case` used?', 'Why is snake_case used?'],
  ["Bob's list of 'things'", "Bob's list of 'things'"],
  ['Sorting lists…', 'Sorting lists'],
  ['Rust 列表排序', 'Rust 列表排序'],
  ['列表排序。', '列表排序'],
  ['one two three four five six seven eight nine ten', 'one two three four five six seven eight'],
])('%j becomes %j', (answer, title) => {
  expect(cleanTitle(answer)).toBe(title);
});

test.each([
  [''],
  ['  \n '],
  ['…'],
  ['<think>I never stop thinking'],
  [
    'I am sorry, but I cannot give this conversation a title without knowing more about what it is that you want.',
  ],
])('%j contains no title', (answer) => {
  expect(cleanTitle(answer)).toBeUndefined();
});

test('a long title is cut between characters', () => {
  const title = cleanTitle('🦀'.repeat(100) + ' a');
  expect(Array.from(title ?? '')).toHaveLength(80);
  expect(title?.isWellFormed()).toBe(true);
});
