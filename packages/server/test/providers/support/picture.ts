import { Buffer } from 'node:buffer';

/** One transparent pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const pixel = (): Uint8Array => Buffer.from(PIXEL, 'base64');
