import { Buffer } from 'node:buffer';

/** One transparent pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const pixel = (): Uint8Array => Buffer.from(PIXEL, 'base64');

/** Files that every provider takes, some, or none. */
export const MEDIA_TYPES = [
  'image/png',
  'image/gif',
  'image/svg+xml',
  'application/pdf',
  'application/zip',
  'audio/ogg',
] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

const BEGINNINGS: Partial<Record<MediaType, string>> = {
  'image/gif': 'GIF89a',
  'image/svg+xml': '<svg/>',
  'application/pdf': '%PDF-1.7',
};

export function bytesOf(type: MediaType): Uint8Array {
  return type === 'image/png' ? pixel() : Buffer.from(BEGINNINGS[type] ?? 'some bytes');
}
