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
  test('the codec decodes thousands of damaged responses like the package', { timeout }, () =>
    checkMutations(api, long(10_000)),
  );

  test(
    'the codec handles a response that ends at any byte like the package',
    { timeout },
    async () => {
      for (const lines of streamsOf(api)) await checkTruncation(api, lines, 1);
    },
  );

  test('the codec decodes many SSE framings like the package', { timeout }, () =>
    checkFraming(api, long(1000)),
  );
});
