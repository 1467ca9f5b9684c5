import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { losslessWebp, pdf, png, smallImage } from '../../test/support/images.ts';
import { inspectMedia, mediaTypeOf } from './inspect.ts';

const IMAGES: [string, Buffer][] = [
  ['image/png', png()],
  ['image/jpeg', smallImage('image/jpeg')],
  ['image/gif', smallImage('image/gif')],
  ['image/webp', smallImage('image/webp')],
  ['image/webp', losslessWebp()],
];
const size = { width: 3, height: 2 };

test.each(IMAGES)('%s is recognized with its size', (media_type, bytes) => {
  expect(inspectMedia(bytes)).toEqual({ media_type, size, isWhole: true });
});

test.each(IMAGES)('%s that is truncated at any byte is incomplete', (media_type, bytes) => {
  for (let length = 12; length < bytes.length; length++) {
    expect(inspectMedia(bytes.subarray(0, length)), `${length} bytes`).toMatchObject({
      media_type,
      isWhole: false,
    });
  }
});

test.each(IMAGES)('%s with other bytes after its end is complete', (_, bytes) => {
  expect(inspectMedia(Buffer.concat([bytes, Buffer.alloc(50, 7)]))?.isWhole).toBe(true);
});

test('an image in the middle of a larger buffer is read from its own bytes', () => {
  const data = new Uint8Array(Buffer.concat([Buffer.alloc(5), png(), Buffer.alloc(5)]));
  expect(inspectMedia(data.subarray(5, -5))).toMatchObject({ size, isWhole: true });
});

test('a PNG with a wrong checksum is incomplete', () => {
  const bytes = png();
  bytes.writeUInt8(bytes.readUInt8(45) ^ 1, 45);
  expect(inspectMedia(bytes)?.isWhole).toBe(false);
});

test('an image without pixels is incomplete', () => {
  expect(inspectMedia(png(0, 0))).toMatchObject({ isWhole: false });
});

test('the thumbnail in the metadata of a JPEG does not count as its end', () => {
  const bytes = smallImage('image/jpeg');
  const thumbnail = Buffer.from([0xff, 0xe1, 0, 6, 0xff, 0xd8, 0xff, 0xd9]);
  const cut = Buffer.concat([bytes.subarray(0, 2), thumbnail, bytes.subarray(2, -2)]);
  expect(inspectMedia(cut)).toEqual({ media_type: 'image/jpeg', size, isWhole: false });
});

test.each([
  ['image/bmp', smallImage('image/bmp')],
  ['image/tiff', Buffer.from('II*\0....', 'latin1')],
  ['image/heic', Buffer.from('\0\0\0\x18ftypheic', 'latin1')],
  ['image/avif', Buffer.from('\0\0\0\x18ftypavif', 'latin1')],
  ['application/pdf', pdf()],
])('%s is recognized', (media_type, bytes) => {
  expect(inspectMedia(bytes)).toMatchObject({ media_type, isWhole: true });
});

test.each(['', 'BMW is a car maker, and this is a text.', 'about %PDF-1.7', 'GIF'])(
  '%j is text, not an image',
  (text) => {
    expect(inspectMedia(Buffer.from(text))).toBeUndefined();
  },
);

test('any bytes after the first ones of a format can be inspected', () => {
  const starts = IMAGES.map(([, bytes]) => bytes.subarray(0, 16));
  fc.assert(
    fc.property(
      fc.constantFrom(...starts),
      fc.uint8Array({ maxLength: 200 }),
      (start, rest) => inspectMedia(Buffer.concat([start, rest])) !== undefined,
    ),
  );
});

test.each([
  ['image/jpeg', png(), 'image/png'],
  ['text/plain', png(), 'image/png'],
  ['image/jpg', smallImage('image/jpeg'), 'image/jpeg'],
  ['image/png', Buffer.from('hello'), 'application/octet-stream'],
  ['image/png', Buffer.alloc(0), 'application/octet-stream'],
  ['application/pdf', Buffer.from('hello'), 'application/octet-stream'],
  ['text/csv', Buffer.from('a,b'), 'text/csv'],
  ['audio/ogg', Buffer.from('OggS'), 'audio/ogg'],
  ['image/svg+xml', Buffer.from('<svg/>'), 'image/svg+xml'],
])('declared as %s, %o is stored as %s', (media_type, data, stored) => {
  expect(mediaTypeOf({ data, media_type })).toBe(stored);
});
