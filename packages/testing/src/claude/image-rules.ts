import { imageType, isWhole, longerSide } from '../image.ts';

/** An image in a request to Claude. */
export interface ClaudeImage {
  /** Path in the service's notation: `messages.0.content.1.image.source.base64`. */
  path: string;
  mediaType: string;
  base64: string;
}

/** The limit applies to the base64 text. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_SIDE = 8000;
const MANY_IMAGES = 20;
const MAX_SIDE_OF_MANY = 2000;

/** Claude's image rules, regardless of the hosting service. */
export function imageFault(images: readonly ClaudeImage[]): string | undefined {
  const isMany = images.length > MANY_IMAGES;
  for (const { path, mediaType, base64 } of images) {
    if (base64.length > MAX_BYTES) {
      return `${path}: image exceeds 5 MB maximum: ${base64.length} bytes > ${MAX_BYTES} bytes`;
    }
    const actual = imageType(base64);
    if (actual === undefined) return 'Could not process image';
    if (actual !== mediaType) {
      return `${path}: The image was specified using the ${mediaType} media type, but the image appears to be a ${actual} image`;
    }
    if (!isWhole(base64)) return 'Could not process image';
    const side = longerSide(base64);
    if (side > MAX_SIDE) {
      return `${path}.data: At least one of the image dimensions exceed max allowed size: ${MAX_SIDE} pixels`;
    }
    if (isMany && side > MAX_SIDE_OF_MANY) {
      return `${path}.data: At least one of the image dimensions exceed max allowed size for many-image requests: ${MAX_SIDE_OF_MANY} pixels`;
    }
  }
  return undefined;
}
