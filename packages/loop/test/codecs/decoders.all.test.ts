import { describe, test } from 'vitest';
import { NAMES } from './support/apis.ts';
import {
  checkFraming,
  checkMutations,
  checkTruncation,
  streamsOf,
} from './support/disturbances.ts';
import { long } from './support/runs.ts';

const timeout = 3_600_000;

describe.each(NAMES)('%s', (api) => {
  test('thousands of damaged responses', { timeout }, () => checkMutations(api, long(10_000)));

  test('every byte as the end of a response', { timeout }, async () => {
    for (const lines of streamsOf(api)) await checkTruncation(api, lines, 1);
  });

  test('many framings', { timeout }, () => checkFraming(api, long(1000)));
});
