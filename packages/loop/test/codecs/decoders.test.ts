import { describe, expect, test } from 'vitest';
import { NAMES } from './support/apis.ts';
import { checkDecoding } from './support/check-decoding.ts';
import { bothWays } from './support/decoding.ts';
import { checkFraming, checkMutations, checkTruncation } from './support/disturbances.ts';
import { quick } from './support/runs.ts';
import { frame, recordings, STREAMS } from './support/streams.ts';

describe.each(NAMES)('%s', (api) => {
  const usual = STREAMS[api].map((event) => JSON.stringify(event));

  test('a usual response is decoded as the package decodes it, without its help', async () => {
    const { expected, actual, handedOver } = await bothWays({ api, body: usual.map(frame) });
    expect(expected.error).toBeUndefined();
    expect(expected.parts.length).toBeGreaterThan(10);
    expect(actual).toEqual(expected);
    expect(handedOver).toBe(false);
  });

  test.each(recordings(api))(
    'the recording $name is decoded as the package decodes it',
    async ({ lines }) => {
      await checkDecoding({ api, body: lines.map(frame) });
    },
  );

  test('damaged responses are decoded as the package decodes them', { timeout: 60_000 }, () =>
    checkMutations(api, quick(40)),
  );

  test('a response may end anywhere', { timeout: 60_000 }, () => checkTruncation(api, usual, 211));

  test('line ends, comments, other fields, and packets change nothing', { timeout: 60_000 }, () =>
    checkFraming(api, quick(10)),
  );
});
