import { expect, test } from 'vitest';
import { DRAW, pngOf } from '../test/support/images.ts';
import { imageType, isImageOf, isWhole, longerSide } from './image.ts';

test.each(DRAW)('%s is recognized with its longer side', (mediaType, draw) => {
  for (const [width, height] of [
    [3000, 20],
    [20, 3000],
  ] as const) {
    const base64 = draw(width, height).toString('base64');
    expect(imageType(base64)).toBe(mediaType);
    expect(longerSide(base64)).toBe(3000);
    expect(longerSide(draw(width, height).subarray(0, 9).toString('base64'))).toBe(0);
  }
});

test.each(DRAW.slice(0, 3))('a truncated %s is incomplete', (_mediaType, draw) => {
  expect(isWhole(draw(1, 1).toString('base64'))).toBe(true);
  expect(isWhole(draw(1, 1).subarray(0, 13).toString('base64'))).toBe(false);
});

test('an image has one type, and text has none', () => {
  expect(isImageOf('image/png', pngOf(1, 1))).toBe(true);
  expect(isImageOf('image/jpeg', pngOf(1, 1))).toBe(false);
  expect(imageType(Buffer.from('<svg/>').toString('base64'))).toBeUndefined();
  expect(imageType('not base64!')).toBeUndefined();
});
