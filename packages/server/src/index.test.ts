import { expect, test } from 'vitest';
import * as chatd from './index.ts';

test('the package exports only these names', () => {
  expect(Object.keys(chatd).toSorted()).toEqual(['StartError', 'VERSION', 'createChatd', 'tool']);
});
