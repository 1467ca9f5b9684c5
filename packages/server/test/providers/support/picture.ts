import { Buffer } from 'node:buffer';

/** One transparent pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const pixel = (): Uint8Array => Buffer.from(PIXEL, 'base64');

/** Media types that all, some, or no providers accept. */
export const MEDIA_TYPES = [
  'image/png',
  'image/gif',
  'image/svg+xml',
  'application/pdf',
  'application/zip',
  'audio/ogg',
] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

const FILE_HEADERS: Partial<Record<MediaType, string>> = {
  'image/gif': 'GIF89a',
  'image/svg+xml': '<svg/>',
  'application/pdf': '%PDF-1.7',
};

export function bytesOf(type: MediaType): Uint8Array {
  return type === 'image/png' ? pixel() : Buffer.from(FILE_HEADERS[type] ?? 'some bytes');
}
