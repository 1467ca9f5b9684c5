import { expect, test } from 'vitest';
import * as chatd from './index.ts';

test('the public surface is this short list of names', () => {
  expect(Object.keys(chatd).toSorted()).toEqual(['StartError', 'VERSION', 'createChatd', 'tool']);
});
