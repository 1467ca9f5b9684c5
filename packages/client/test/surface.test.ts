import { expect, test } from 'vitest';
import * as aiSdk from '../src/ai-sdk/index.ts';
import * as sdk from '../src/index.ts';

test('the public surface is a short list of names', () => {
  expect(Object.keys(sdk).sort()).toEqual([
    'ChatdProblem',
    'ChatdUnreachable',
    'NotAwaited',
    'createClient',
    'dynamicTools',
    'runTools',
  ]);
  expect(Object.keys(aiSdk).sort()).toEqual(['chatTransport', 'loadUIMessages', 'toUIMessages']);
});
