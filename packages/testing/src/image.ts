import { Buffer } from 'node:buffer';

/** How files of these types begin. */
const BEGINNINGS: Record<string, (bytes: Buffer) => boolean> = {
  'image/png': (bytes) => bytes.toString('hex', 0, 8) === '89504e470d0a1a0a',
  'image/jpeg': (bytes) => bytes.toString('hex', 0, 3) === 'ffd8ff',
  'image/gif': (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)),
  'image/webp': (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12)),
};

/** Whether these bytes are what they are said to be: every service looks, and refuses others. */
export function isImageOf(mediaType: string, base64: string): boolean {
  const begins = BEGINNINGS[mediaType];
  if (begins === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return false;
  return begins(Buffer.from(base64.slice(0, 24), 'base64'));
}

/** The parts of `data:image/png;base64,…`; nothing for any other address. */
export function readDataUrl(url: string): { mediaType: string; base64: string } | undefined {
  const [, mediaType, base64] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType, base64 };
}
