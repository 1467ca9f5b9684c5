import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { frame, FrameReader } from './frames.ts';

const messages = fc.array(fc.record({ id: fc.nat(), bytes: fc.uint8Array({ maxLength: 300 }) }), {
  minLength: 1,
  maxLength: 6,
});

test('frames do not depend on how the pipe splits them', () => {
  fc.assert(
    fc.property(messages, fc.integer({ min: 1, max: 97 }), (sent, size) => {
      const pieces = sent.flatMap(({ id, bytes }) => frame({ id }, bytes));
      const connection = Buffer.concat(pieces.filter((piece) => piece !== undefined));
      const reader = new FrameReader();
      const arrived: { id: unknown; bytes: Uint8Array }[] = [];
      for (let at = 0; at < connection.length; at += size) {
        for (const { header, bytes } of reader.push(
          Buffer.from(connection.subarray(at, at + size)),
        )) {
          arrived.push({ id: header['id'], bytes: Uint8Array.from(bytes) });
        }
      }
      expect(arrived).toEqual(sent);
    }),
  );
});

test.each([
  ['too long', Buffer.from([255, 255, 255, 255])],
  ['too short', Buffer.from([1, 0, 0, 0, 0])],
  ['with a header longer than itself', Buffer.from([4, 0, 0, 0, 9, 0, 0, 0])],
  ['whose header is no object', Buffer.from([5, 0, 0, 0, 1, 0, 0, 0, 49])],
  ['whose header is no JSON', Buffer.from([5, 0, 0, 0, 1, 0, 0, 0, 123])],
])('a frame %s is refused', (_, bytes) => {
  const reader = new FrameReader();
  expect(() => [...reader.push(bytes)]).toThrow(/frame|header|JSON/);
});
