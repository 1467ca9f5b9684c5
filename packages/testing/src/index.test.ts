import { expect, test } from 'vitest';
import * as testing from './index.ts';

test('the package exports exactly these names', () => {
  expect(Object.keys(testing).sort()).toEqual([
    'answer',
    'fault',
    'file',
    'gate',
    'inProcessProvider',
    'loadRecording',
    'raw',
    'reasoning',
    'startFakeProvider',
    'text',
    'toolCall',
    'webSearch',
    'wireEvents',
  ]);
});
