import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Framebuffer } from '../rfb/framebuffer.ts';
import { decodePng } from './decode-png.ts';
import { encodePng } from './png.ts';
import { fitted, scaled } from './scale.ts';

function painted(width: number, height: number, bytes: (index: number) => number): Framebuffer {
  const screen = new Framebuffer(width, height);
  for (let at = 0; at < screen.pixels.length; at++) screen.pixels[at] = bytes(at);
  return screen;
}
const whole = ({ width, height }: Framebuffer) => ({ x: 0, y: 0, width, height });
const colors = ({ pixels }: Framebuffer) => pixels.filter((_, index) => index % 4 !== 3);

test('a decoded PNG has the pixels that were encoded', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 40 }),
      async (w, h) => {
        const screen = painted(w, h, (index) => (index * 7919) % 256);
        const back = await decodePng(await encodePng(scaled(screen, whole(screen), screen)));
        expect(colors(back)).toEqual(colors(screen));
      },
    ),
    { numRuns: 30 },
  );
});

test('a scaled pixel is the mean of the pixels it covers', () => {
  const screen = painted(4, 2, (index) => (Math.floor(index / 4) % 2 === 0 ? 0 : 200));
  expect([...scaled(screen, whole(screen), { width: 2, height: 1 }).rgb]).toEqual([
    100, 100, 100, 100, 100, 100,
  ]);
  const enlarged = scaled(screen, { x: 1, y: 0, width: 1, height: 1 }, { width: 3, height: 3 });
  expect(new Set(enlarged.rgb)).toEqual(new Set([200]));
});

test('a size is reduced to the limits, keeps its aspect ratio, and never grows', () => {
  const limit = { edge: 1568, pixels: 1_150_000 };
  expect(fitted({ width: 1920, height: 1080 }, limit)).toEqual({ width: 1429, height: 804 });
  expect(fitted({ width: 800, height: 600 }, limit)).toEqual({ width: 800, height: 600 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 1, max: 5000 }),
      (width, height) => {
        const size = fitted({ width, height }, limit);
        expect(Math.max(size.width, size.height)).toBeLessThanOrEqual(limit.edge);
        expect(size.width * size.height).toBeLessThanOrEqual(limit.pixels);
      },
    ),
  );
});
