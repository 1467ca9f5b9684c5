import { expect, test } from 'vitest';
import * as loop from '@chatd/loop';
import * as testing from '@chatd/loop/testing';

test('the package exports exactly these names', () => {
  expect(Object.keys(loop).toSorted()).toEqual([
    'DEFAULT_LIMITS',
    'DENIED_RESULT',
    'FileRefused',
    'HandedOver',
    'INTERRUPTED_RESULT',
    'Interrupted',
    'LiveParts',
    'Media',
    'MemoryFiles',
    'MemoryHistory',
    'ProviderError',
    'SUMMARY_TOOL',
    'ShuttingDown',
    'UNKNOWN_OUTCOME',
    'begunCalls',
    'chatError',
    'classify',
    'codecModel',
    'fetchTransport',
    'inspectMedia',
    'isEncryptedField',
    'mediaTypeOf',
    'mergeParts',
    'nativeComputer',
    'next',
    'openStep',
    'providerCodec',
    'publicResult',
    'pushModel',
    'runTurn',
    'sleep',
    'systemClock',
    'tool',
    'toolIndex',
  ]);
  expect(Object.keys(testing)).toEqual(['ManualClock']);
});
