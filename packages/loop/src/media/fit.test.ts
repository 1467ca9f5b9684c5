import { expect, test, vi } from 'vitest';
import { pdf, png, smallImage } from '../../test/support/images.ts';
import { type ImageLimit, MemoryFiles } from '../files.ts';
import type { Family } from '../providers/family.ts';
import type { MediaFile } from '../tools/media.ts';
import { fitMedia } from './fit.ts';
import { mediaLimits } from './limits.ts';

const FAMILIES: Family[] = [
  'anthropic',
  'openai-responses',
  'google',
  'bedrock',
  'openrouter',
  'other',
];
const SMALL: MediaFile = { data: png(), media_type: 'image/png', name: 'small.png' };

const plain = new MemoryFiles();
class ScalingFiles extends MemoryFiles {
  readonly scaleImage = vi.fn<(image: MediaFile, limit: ImageLimit) => Promise<MediaFile>>(() =>
    Promise.resolve(SMALL),
  );
}
const image = (data: Buffer, media_type = 'image/png'): MediaFile => ({
  data,
  media_type,
  name: 'x.png',
});

test.each(FAMILIES)('%s gets an image with the type of its bytes', async (family) => {
  const shown = await fitMedia(image(png(), 'image/jpeg'), { family, files: plain });
  expect(shown).toEqual({ file: image(png(), 'image/png') });
});

test.each([
  ['text', image(Buffer.from('not an image')), 'its bytes are not a valid PNG'],
  ['nothing', image(Buffer.alloc(0)), 'it is empty'],
  ['truncated bytes', image(png().subarray(0, 40)), 'its bytes are not a complete PNG'],
  ['4 MB', image(png(3, 2, 4_000_000)), 'its size is 4.0 MB; the limit is 3.9 MB'],
  ['9000 pixels', image(png(9000, 1)), 'it is 9000 pixels wide or high; the limit is 8000'],
  ['a bitmap', image(smallImage('image/bmp')), 'the model does not take image/bmp'],
])('an image of %s is replaced by a note', async (_, file, reason) => {
  const shown = await fitMedia(file, { family: 'anthropic', files: plain });
  expect(shown).toEqual({ note: `[image "x.png" cannot be shown: ${reason}]` });
});

test.each(FAMILIES)('%s gets no file beyond its limits', async (family) => {
  const { imageBytes, imageSide, documentBytes } = mediaLimits(family);
  const to = { family, files: plain };
  const pages = { data: pdf(documentBytes), media_type: 'application/pdf' };
  expect(await fitMedia(image(png(3, 2, imageBytes)), to)).toHaveProperty('note');
  expect(await fitMedia(image(png(imageSide + 1, 1)), to)).toHaveProperty('note');
  expect(await fitMedia(pages, to)).toHaveProperty('note');
});

test.each([
  ['damaged', png().subarray(0, 40)],
  ['too many bytes', png(3, 2, 4_000_000)],
  ['too wide', png(9000, 1)],
  ['too wide among many', png(2001, 1)],
  ['unsuitable', smallImage('image/bmp')],
])('an image that is %s is scaled', async (_, data) => {
  const files = new ScalingFiles();
  expect(await fitMedia(image(data), { family: 'anthropic', files })).toEqual({ file: SMALL });
  const limit = { maxBytes: 3_932_160, maxSide: 2000 };
  expect(files.scaleImage).toHaveBeenCalledExactlyOnceWith(expect.anything(), limit);
});

test('an image within the limits and a file that is not an image are not scaled', async () => {
  const files = new ScalingFiles();
  for (const file of [SMALL, image(Buffer.from('text')), image(pdf(), 'application/pdf')]) {
    await fitMedia(file, { family: 'anthropic', files });
  }
  expect(files.scaleImage).not.toHaveBeenCalled();
});

test('an image that is too wide only among many is unchanged if it cannot be scaled', async () => {
  const wide = image(png(3000, 1));
  expect(await fitMedia(wide, { family: 'anthropic', files: plain })).toEqual({ file: wide });
});

test.each([
  ['rejects', () => Promise.reject(new Error('out of memory'))],
  ['returns nothing', () => Promise.resolve(undefined)],
  ['returns an image that does not fit', () => Promise.resolve(image(png(9000, 1)))],
])('a note replaces an image if scaling it %s', async (_, scaleImage) => {
  const files = Object.assign(new MemoryFiles(), { scaleImage });
  const shown = await fitMedia(image(png(9000, 1)), { family: 'anthropic', files });
  expect(shown).toEqual({ note: expect.stringContaining('9000 pixels') });
});
