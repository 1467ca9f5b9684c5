import { Buffer } from 'node:buffer';

export interface PixelSize {
  width: number;
  height: number;
}

interface Format {
  matches: (bytes: Buffer) => boolean;
  /** Undefined if the header is truncated. */
  size: (bytes: Buffer) => PixelSize | undefined;
  /** Whether the file ends with the end of an image. */
  ends: (tail: Buffer) => boolean;
}

const JPEG_END = Buffer.from([0xff, 0xd9]);
const GIF_END = 0x3b;

/** Image types that every service accepts. */
const FORMATS: Record<string, Format> = {
  'image/png': {
    matches: (bytes) => bytes.toString('hex', 0, 8) === '89504e470d0a1a0a',
    size: (bytes) =>
      bytes.length < 24
        ? undefined
        : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) },
    ends: (tail) => tail.includes('IEND'),
  },
  'image/jpeg': {
    matches: (bytes) => bytes.toString('hex', 0, 3) === 'ffd8ff',
    size: jpegSize,
    ends: (tail) => tail.includes(JPEG_END),
  },
  'image/gif': {
    matches: (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)),
    size: (bytes) =>
      bytes.length < 10
        ? undefined
        : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) },
    ends: (tail) => tail.at(-1) === GIF_END,
  },
  'image/webp': {
    matches: (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12)),
    size: webpSize,
    // A WebP has no end marker.
    ends: () => true,
  },
};

/** The size of a JPEG follows its metadata, which can be long. */
const HEADER_CHARACTERS = 256 * 1024;
/** A multiple of four, so that the end of the base64 text can be decoded separately. */
const TAIL_CHARACTERS = 1024;

/** The media type by the bytes. Undefined unless it is an image type that every service accepts. */
export function imageType(base64: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const bytes = Buffer.from(base64.slice(0, 24), 'base64');
  return Object.keys(FORMATS).find((type) => FORMATS[type]?.matches(bytes));
}

/** Whether the bytes are a complete image of the declared type. Every service rejects other images. */
export function isImageOf(mediaType: string, base64: string): boolean {
  return imageType(base64) === mediaType && isWhole(base64);
}

/** Whether an image is complete. Services reject a truncated image. */
export function isWhole(base64: string): boolean {
  const format = FORMATS[imageType(base64) ?? ''];
  return format?.ends(Buffer.from(base64.slice(-TAIL_CHARACTERS), 'base64')) === true;
}

/** The longer side in pixels. 0 if the bytes do not contain it. */
export function longerSide(base64: string): number {
  const format = FORMATS[imageType(base64) ?? ''];
  const size = format?.size(Buffer.from(base64.slice(0, HEADER_CHARACTERS), 'base64'));
  return size === undefined ? 0 : Math.max(size.width, size.height);
}

/** Follows the segments to the first frame header. */
function jpegSize(bytes: Buffer): PixelSize | undefined {
  for (let at = 2; at + 9 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at);
    const isFrame =
      marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return undefined;
}

function webpSize(bytes: Buffer): PixelSize | undefined {
  if (bytes.length < 30) return undefined;
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') {
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  }
  if (chunk === 'VP8L') {
    const packed = bytes.readUInt32LE(21);
    return { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 };
  }
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

/** The parts of `data:image/png;base64,…`. Undefined for any other URL. */
export function readDataUrl(url: string): { mediaType: string; base64: string } | undefined {
  const [, mediaType, base64] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType, base64 };
}
