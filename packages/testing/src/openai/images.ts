import type { Refusal } from '../refusal.ts';
import { isImageOf, readDataUrl } from '../image.ts';
import { badRequest } from '../refusal.ts';

/** What OpenAI says of an image that is none, or not of the type that it is said to be. */
export function imageFault(url: string, param: string): Refusal | undefined {
  const inline = readDataUrl(url);
  if (inline === undefined && /^https?:/.test(url)) return undefined;
  return inline !== undefined && isImageOf(inline.mediaType, inline.base64)
    ? undefined
    : badRequest(
        "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
        { param, code: 'invalid_image_format' },
      );
}
