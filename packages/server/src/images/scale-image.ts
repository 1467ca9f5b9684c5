import { type ImageLimit, inspectMedia, type MediaFile } from '@chatd/loop';
import type { Transformer } from '@napi-rs/image';

/** A decoded pixel takes up to 4 bytes, and scaling holds two images. */
const MAX_PIXELS = 64_000_000;
const ATTEMPTS = 4;
const SHRINK = 0.7;
const JPEG_QUALITY = 85;

interface Encoding {
  readonly media_type: string;
  readonly encode: (image: Transformer) => Promise<Buffer>;
}
const PNG: Encoding = { media_type: 'image/png', encode: (image) => image.png() };
const JPEG: Encoding = { media_type: 'image/jpeg', encode: (image) => image.jpeg(JPEG_QUALITY) };

/**
 * A scaled copy within the limits, with the orientation applied. Undefined: not possible. Rejects if the image cannot
 * be decoded.
 */
export async function scaleImage(
  { data, media_type, name }: MediaFile,
  { maxBytes, maxSide }: ImageLimit,
): Promise<MediaFile | undefined> {
  const size = inspectMedia(data)?.size;
  if (size === undefined || size.width * size.height > MAX_PIXELS) return undefined;
  // The package has no binary for some platforms; the server runs there without it.
  const { Transformer, ResizeFit } = await import('@napi-rs/image');
  const longer = Math.max(size.width, size.height);
  let side = Math.min(longer, maxSide);
  for (let attempt = 0; attempt < ATTEMPTS && side >= 1; attempt++) {
    for (const { media_type: type, encode } of media_type === 'image/jpeg' ? [JPEG] : [PNG, JPEG]) {
      const upright = new Transformer(data).rotate();
      const fitted =
        side < longer
          ? upright.resize({ width: side, height: side, fit: ResizeFit.Inside })
          : upright;
      const copy = await encode(fitted);
      if (copy.length > maxBytes) continue;
      return { data: copy, media_type: type, ...(name !== undefined && { name }) };
    }
    side = Math.floor(side * SHRINK);
  }
  return undefined;
}
