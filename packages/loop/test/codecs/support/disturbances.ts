import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { ApiName } from './apis.ts';
import { checkDecoding } from './check-decoding.ts';
import { mutate, mutations } from './mutations.ts';
import type { Runs } from './runs.ts';
import { frame, recordings, STREAMS } from './streams.ts';

/** The typical stream and all recorded ones, as the data of their events. */
export const streamsOf = (api: ApiName): string[][] => [
  STREAMS[api].map((event) => JSON.stringify(event)),
  ...recordings(api).map(({ lines }) => lines),
];

/** Checks damaged streams. The codec must decode at least one without a fallback. */
export async function checkMutations(api: ApiName, runs: Runs): Promise<void> {
  const streams = fc.constantFrom(...streamsOf(api));
  let alone = 0;
  const damaged = fc.asyncProperty(streams, mutations, async (lines, all) => {
    if (await checkDecoding({ api, body: mutate(lines, all).map(frame) })) alone++;
  });
  await fc.assert(damaged, runs);
  expect(alone).toBeGreaterThan(0);
}

/** Checks responses that end, or lose their connection, after every `step` bytes. */
export async function checkTruncation(
  api: ApiName,
  lines: readonly string[],
  step: number,
): Promise<void> {
  const bytes = new TextEncoder().encode(lines.map(frame).join(''));
  for (let end = 0; end < bytes.length; end += step) {
    const [first, second] = [bytes.slice(0, end / 2), bytes.slice(end / 2, end)];
    await checkDecoding({ api, body: [first, second] });
    await checkDecoding({ api, body: [first, second], broken: true });
  }
}

/** Checks the same events with other line endings, comments, fields, and packet boundaries. */
export async function checkFraming(api: ApiName, runs: Runs): Promise<void> {
  const framing = fc.record({
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    before: fc.constantFrom('', ': comment', 'event: x', 'id: 7', 'retry: 10', 'unknown: x'),
    spaced: fc.boolean(),
    garbage: fc.constantFrom<number[]>([], [0xff], [0xef, 0xbb, 0xbf], [0xf0, 0x9f]),
    cuts: fc.array(fc.nat(4000), { maxLength: 20 }),
  });
  const framed = fc.asyncProperty(
    fc.constantFrom(...streamsOf(api)),
    framing,
    async (lines, { lineEnd, before, spaced, garbage, cuts }) => {
      const text = lines
        .map((data) => [
          ...(before === '' ? [] : [before]),
          `data:${spaced ? ' ' : ''}${data}`,
          '',
          '',
        ])
        .map((each) => each.join(lineEnd))
        .join('');
      const bytes = Uint8Array.from([...garbage, ...new TextEncoder().encode(text)]);
      const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted(
        (a, b) => a - b,
      );
      const body = ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
      await checkDecoding({ api, body });
    },
  );
  await fc.assert(framed, runs);
}
