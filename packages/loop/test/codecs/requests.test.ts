import { describe, test } from 'vitest';
import { NAMES } from './support/apis.ts';
import { checkRequests } from './support/check-requests.ts';
import { quick } from './support/runs.ts';

describe.each(NAMES)('%s', (name) => {
  test('requests are those of the package', { timeout: 60_000 }, () =>
    checkRequests(name, quick(200)),
  );
});
