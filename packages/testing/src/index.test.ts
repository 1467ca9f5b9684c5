import { expect, test } from 'vitest';
import * as testing from './index.ts';

test('the public surface is a short list of names', () => {
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
