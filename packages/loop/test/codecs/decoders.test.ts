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

/** Damaged Chat Completions streams that the codec once decoded differently from the package. */
const DAMAGE: [string, Mutation[]][] = [
  [
    'an error after an empty text and another text',
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

  test('the codec decodes a typical response like the package, without a fallback to it', async () => {
    const { expected, actual, handedOver } = await bothWays({ api, body: usual.map(frame) });
    expect(expected.error).toBeUndefined();
    expect(expected.parts.length).toBeGreaterThan(10);
    expect(actual).toEqual(expected);
    expect(handedOver).toBe(false);
  });

  test.each(recordings(api))(
    'the codec decodes the recording $name like the package',
    async ({ lines }) => {
      await checkDecoding({ api, body: lines.map(frame) });
    },
  );

  const interleaved = INTERLEAVED[api] ?? [];
  test.runIf(interleaved.length > 0)(
    'the codec decodes interleaved blocks and long texts like the package',
    async () => {
      const body = interleaved.map((event) => frame(JSON.stringify(event)));
      expect(await checkDecoding({ api, body })).toBe(true);
    },
  );

  test.each(FAILURES)('the codec reports HTTP %i like the package: %s', async (status, body) => {
    const headers = { 'retry-after': '7' };
    await checkDecoding({ api, body: [body], status, headers });
  });

  test('the codec decodes damaged responses like the package', { timeout: 60_000 }, () =>
    checkMutations(api, quick(40)),
  );

  test('the codec handles truncated responses like the package', { timeout: 60_000 }, () =>
    checkTruncation(api, usual, 211),
  );

  test(
    'line endings, comments, other fields, and packet boundaries change nothing',
    { timeout: 60_000 },
    () => checkFraming(api, quick(10)),
  );
});
