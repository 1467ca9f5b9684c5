import { describe, test } from 'vitest';
import { NAMES } from './support/apis.ts';
import { checkRequests } from './support/check-requests.ts';
import { long } from './support/runs.ts';

describe.each(NAMES)('%s', (name) => {
  test('the codec encodes thousands of requests like the package', { timeout: 3_600_000 }, () =>
    checkRequests(name, long(20_000)),
  );
});
