import type { Refusal } from '../refusal.ts';
import { isImageOf, readDataUrl } from '../image.ts';
import { badRequest } from '../refusal.ts';

/** An image in a request. */
export interface ImageUrl {
  url: string;
  param: string;
}

const MB = 1024 * 1024;
const MAX_TOTAL_MB = 50;

/** OpenAI's image rules. */
export function imagesFault(images: readonly ImageUrl[]): Refusal | undefined {
  let bytes = 0;
  for (const { url, param } of images) {
    const inline = readDataUrl(url);
    if (inline === undefined && /^https?:/.test(url)) continue;
    if (inline === undefined || !isImageOf(inline.mediaType, inline.base64)) {
      return badRequest(
        "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
        { param, code: 'invalid_image_format' },
      );
    }
    bytes += (inline.base64.length * 3) / 4;
  }
  return bytes > MAX_TOTAL_MB * MB
    ? badRequest(
        `Total image size is ${(bytes / MB).toFixed(1)}MB, which exceeds the allowed limit of ${MAX_TOTAL_MB.toFixed(1)}MB.`,
      )
    : undefined;
}
