import { describe, expect, test } from 'vitest';
import { NAMES } from './support/apis.ts';
import { checkDecoding } from './support/check-decoding.ts';
import { bothWays } from './support/decoding.ts';
import { checkFraming, checkMutations, checkTruncation } from './support/disturbances.ts';
import { type Mutation, mutate } from './support/mutations.ts';
import { quick } from './support/runs.ts';
import { frame, INTERLEAVED, recordings, STREAMS } from './support/streams.ts';

const FAILURES: [number, string][] = [
  [429, '{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}'],
  [529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
  [400, '{"error":{"message":"Too long","type":"invalid_request_error","param":null,"code":"x"}}'],
  [503, '{"error":{"code":503,"message":"Unavailable","status":"UNAVAILABLE"}}'],
  [401, '{"error":{"message":"Wrong key"}}'],
  [500, 'not json'],
  [502, ''],
];

const OVERLOADED =
  '{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}';

/** Damage of Chat Completions that was once decoded differently. */
const DAMAGE: [string, Mutation[]][] = [
  [
    'an error after an empty and another text',
    [
      { type: 'insert', at: 2, event: OVERLOADED },
      { type: 'repeat', at: 0 },
    ],
  ],
  [
    'arguments with a finish reason, then reasoning',
    [
      { type: 'change', at: 8, field: 751, value: 'text' },
      { type: 'swap', at: 1, to: 10 },
    ],
  ],
];

describe.each(NAMES.filter((name) => name.includes('chat') || name.includes('compatible')))(
  '%s',
  (api) => {
    test.each(DAMAGE)('%s', async (_, mutations) => {
      const usual = STREAMS[api].map((event) => JSON.stringify(event));
      await checkDecoding({ api, body: mutate(usual, mutations).map(frame) });
    });
  },
);

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

  const interleaved = INTERLEAVED[api] ?? [];
  test.runIf(interleaved.length > 0)(
    'interleaved blocks and long texts are decoded as the package decodes them',
    async () => {
      const body = interleaved.map((event) => frame(JSON.stringify(event)));
      expect(await checkDecoding({ api, body })).toBe(true);
    },
  );

  test.each(FAILURES)('HTTP %i is reported as the package reports it: %s', async (status, body) => {
    const headers = { 'retry-after': '7' };
    await checkDecoding({ api, body: [body], status, headers });
  });

  test('damaged responses are decoded as the package decodes them', { timeout: 60_000 }, () =>
    checkMutations(api, quick(40)),
  );

  test('a response may end anywhere', { timeout: 60_000 }, () => checkTruncation(api, usual, 211));

  test('line ends, comments, other fields, and packets change nothing', { timeout: 60_000 }, () =>
    checkFraming(api, quick(10)),
  );
});
