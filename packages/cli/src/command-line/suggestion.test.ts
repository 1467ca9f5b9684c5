import { expect, test } from 'vitest';
import { suggestion } from './suggestion.ts';

test.each([
  ['modle', 'model'],
  ['lits', 'list'],
  ['provders', 'provider'],
  ['comp', 'completion'],
  ['zzz', undefined],
])('%s: %s', (word, meant) => {
  expect(suggestion(word, ['model', 'list', 'provider', 'completion'])).toBe(meant);
});
