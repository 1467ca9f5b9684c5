import { type ImageLimit, inspectMedia, type MediaFile } from '@chatd/loop';
import { Transformer } from '@napi-rs/image';
import { expect, test, vi } from 'vitest';
import { ImageScaler } from './image-scaler.ts';
import { scaleImage } from './scale-image.ts';

const LIMIT: ImageLimit = { maxBytes: 3_900_000, maxSide: 200 };

function painted(width: number, height: number, shade: (at: number) => number): Transformer {
  const pixels = Uint8Array.from({ length: width * height * 4 }, (_, at) =>
    at % 4 === 3 ? 255 : shade(at),
  );
  return Transformer.fromRgbaPixels(pixels, width, height);
}
const plain = (width: number, height: number) => painted(width, height, () => 200);
/** Compresses badly. */
const noise = (width: number, height: number) => {
  let seed = 1;
  return painted(width, height, () => (seed = (seed * 48_271) % 0x7fffffff) & 255);
};
const file = (data: Uint8Array, media_type: string): MediaFile => ({
  data,
  media_type,
  name: 'x',
});
const sizeOf = (copy: MediaFile | undefined) => copy && inspectMedia(copy.data)?.size;

test.each([
  ['image/png', async () => plain(300, 150).png(), 'image/png'],
  ['image/jpeg', async () => plain(300, 150).jpeg(), 'image/jpeg'],
  ['image/webp', async () => plain(300, 150).webp(), 'image/png'],
  ['image/bmp', async () => plain(300, 150).bmp(), 'image/png'],
])('%s is scaled to the limit, in the same shape', async (type, encode, result) => {
  const copy = await scaleImage(file(await encode(), type), LIMIT);
  expect(copy).toMatchObject({ media_type: result, name: 'x' });
  expect(sizeOf(copy)).toEqual({ width: 200, height: 100 });
});

test('an image with a single row of pixels is scaled, too', async () => {
  const copy = await scaleImage(file(await plain(9000, 1).png(), 'image/png'), LIMIT);
  expect(sizeOf(copy)).toEqual({ width: 200, height: 1 });
});

test('an image with too many bytes becomes a JPEG, and smaller until it fits', async () => {
  const large = file(await noise(200, 200).png(), 'image/png');
  const same = await scaleImage(large, { maxBytes: 70_000, maxSide: 200 });
  expect(same?.media_type).toBe('image/jpeg');
  expect(sizeOf(same)).toEqual({ width: 200, height: 200 });
  const smaller = await scaleImage(large, { maxBytes: 20_000, maxSide: 200 });
  expect(smaller?.data.length).toBeLessThanOrEqual(20_000);
  expect(await scaleImage(large, { maxBytes: 100, maxSide: 200 })).toBeUndefined();
});

test('a truncated JPEG is repaired, and keeps its size', async () => {
  const whole = await noise(200, 100).jpeg();
  const cut = file(whole.subarray(0, whole.length / 2), 'image/jpeg');
  const copy = await scaleImage(cut, LIMIT);
  expect(inspectMedia(copy?.data ?? new Uint8Array())).toEqual({
    media_type: 'image/jpeg',
    size: { width: 200, height: 100 },
    isWhole: true,
  });
});

test('a photo with a rotation in its EXIF data is scaled upright', async () => {
  const photo = await plain(64, 32).jpeg();
  const turned = Buffer.from(
    'ffe1002245786966000049492a00080000000100120103000100000006000000000000000000',
    'hex',
  ).subarray(0, 36);
  const data = Buffer.concat([photo.subarray(0, 2), turned, photo.subarray(2)]);
  const copy = await scaleImage(file(data, 'image/jpeg'), { ...LIMIT, maxSide: 32 });
  expect(sizeOf(copy)).toEqual({ width: 16, height: 32 });
});

test('an image that would take too much memory is not decoded', async () => {
  const bomb = Buffer.from(await plain(1, 1).png());
  bomb.writeUInt32BE(100_000, 16);
  bomb.writeUInt32BE(100_000, 20);
  expect(await scaleImage(file(bomb, 'image/png'), LIMIT)).toBeUndefined();
});

test('an image that cannot be decoded has no copy', async () => {
  const cut = (await noise(200, 100).png()).subarray(0, 500);
  const scaler = new ImageScaler();
  expect(await scaler.scale(file(cut, 'image/png'), LIMIT)).toBeUndefined();
});

const copied = (size: number) => file(new Uint8Array(size), 'image/png');
const numbered = (number: number) => file(Buffer.from(`${number}`), 'image/png');

test('the same bytes are scaled once for the same limit', async () => {
  const scale = vi.fn<typeof scaleImage>(() => Promise.resolve(copied(1)));
  const scaler = new ImageScaler(scale);
  const first = scaler.scale(numbered(1), LIMIT);
  expect(await scaler.scale(numbered(1), LIMIT)).toBe(await first);
  expect(scale).toHaveBeenCalledTimes(1);
  await scaler.scale(numbered(1), { ...LIMIT, maxSide: 8000 });
  await scaler.scale(numbered(2), LIMIT);
  expect(scale).toHaveBeenCalledTimes(3);
});

test.each([
  ['number', 1, 201],
  ['bytes', 30_000_000, 3],
])('the %s of kept copies is limited, and the most recent are kept', async (_, size, count) => {
  const scale = vi.fn<typeof scaleImage>(() => Promise.resolve(copied(size)));
  const scaler = new ImageScaler(scale);
  for (let number = 0; number < count; number++) await scaler.scale(numbered(number), LIMIT);
  await scaler.scale(numbered(count - 1), LIMIT);
  expect(scale).toHaveBeenCalledTimes(count);
  await scaler.scale(numbered(0), LIMIT);
  expect(scale).toHaveBeenCalledTimes(count + 1);
});

test('one image is scaled at a time', async () => {
  const finish: (() => void)[] = [];
  const scale = vi.fn<typeof scaleImage>(
    () => new Promise<MediaFile>((resolve) => finish.push(() => resolve(copied(1)))),
  );
  const scaler = new ImageScaler(scale);
  const both = [1, 2].map((number) => scaler.scale(numbered(number), LIMIT));
  expect(scale).toHaveBeenCalledTimes(1);
  finish[0]?.();
  await both[0];
  await vi.waitFor(() => expect(scale).toHaveBeenCalledTimes(2));
  finish[1]?.();
  await Promise.all(both);
});
