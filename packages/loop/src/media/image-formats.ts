import { crc32 } from 'node:zlib';

export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Recognizes an image format and reads its header. The bytes may be truncated. */
interface ImageFormat {
  readonly media_type: string;
  matches(bytes: Buffer): boolean;
  /** Undefined if the header is truncated or invalid, or if the size is not needed. */
  size?(bytes: Buffer): PixelSize | undefined;
  /** Whether the image data is complete. Decoders reject or guess the rest of a truncated image. */
  isWhole?(bytes: Buffer): boolean;
}

const startsWith = (bytes: Buffer, text: string, at = 0): boolean =>
  bytes.toString('latin1', at, at + text.length) === text;

const PNG: ImageFormat = {
  media_type: 'image/png',
  matches: (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n'),
  size: (bytes) =>
    bytes.length >= 24 && startsWith(bytes, 'IHDR', 12)
      ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
      : undefined,
  isWhole(bytes) {
    for (let at = 8; at + 12 <= bytes.length;) {
      const end = at + 8 + bytes.readUInt32BE(at);
      if (end + 4 > bytes.length) return false;
      if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return false;
      if (startsWith(bytes, 'IEND', at + 4)) return true;
      at = end + 4;
    }
    return false;
  },
};

const JPEG_END = Buffer.from([0xff, 0xd9]);

/** The position of a JPEG's frame header, the first of its SOF markers. */
function jpegFrame(bytes: Buffer): number | undefined {
  for (let at = 2; at + 9 <= bytes.length;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return at;
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else if (marker === 0xd9 || marker === 0xda) return undefined;
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return undefined;
}

const JPEG: ImageFormat = {
  media_type: 'image/jpeg',
  matches: (bytes) => startsWith(bytes, '\xff\xd8\xff'),
  size(bytes) {
    const frame = jpegFrame(bytes);
    return frame === undefined
      ? undefined
      : { width: bytes.readUInt16BE(frame + 7), height: bytes.readUInt16BE(frame + 5) };
  },
  // A thumbnail in the metadata has its own end marker, before the frame.
  isWhole(bytes) {
    const frame = jpegFrame(bytes);
    return frame !== undefined && bytes.includes(JPEG_END, frame);
  },
};

const gifColors = (flags = 0): number => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));

/** Skips data sub-blocks: each starts with its length, the last is empty. */
function afterGifData(bytes: Buffer, from: number): number {
  let at = from;
  while ((bytes[at] ?? 0) > 0) at += 1 + (bytes[at] ?? 0);
  return at + 1;
}

const GIF: ImageFormat = {
  media_type: 'image/gif',
  matches: (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)),
  size: (bytes) =>
    bytes.length >= 10
      ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
      : undefined,
  isWhole(bytes) {
    for (let at = 13 + gifColors(bytes[10]); at < bytes.length;) {
      const block = bytes[at];
      if (block === 0x3b) return true;
      if (block === 0x21) at = afterGifData(bytes, at + 2);
      else if (block === 0x2c) at = afterGifData(bytes, at + 11 + gifColors(bytes[at + 9]));
      else return false;
    }
    return false;
  },
};

const WEBP: ImageFormat = {
  media_type: 'image/webp',
  matches: (bytes) => startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8),
  size(bytes) {
    if (bytes.length < 30) return undefined;
    switch (bytes.toString('latin1', 12, 16)) {
      case 'VP8 ':
        return {
          width: bytes.readUInt16LE(26) & 0x3fff,
          height: bytes.readUInt16LE(28) & 0x3fff,
        };
      case 'VP8L': {
        const bits = bytes.readUInt32LE(21);
        return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
      }
      case 'VP8X':
        return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
      default:
        return undefined;
    }
  },
  isWhole: (bytes) => bytes.length >= 8 && bytes.readUInt32LE(4) + 8 <= bytes.length,
};

const BMP_HEADERS = new Set([40, 52, 56, 64, 108, 124]);

const BMP: ImageFormat = {
  media_type: 'image/bmp',
  matches: (bytes) =>
    bytes.length >= 26 && startsWith(bytes, 'BM') && BMP_HEADERS.has(bytes.readUInt32LE(14)),
  // A negative height means rows from top to bottom.
  size: (bytes) => ({
    width: bytes.readInt32LE(18),
    height: Math.abs(bytes.readInt32LE(22)),
  }),
};

const TIFF: ImageFormat = {
  media_type: 'image/tiff',
  matches: (bytes) => startsWith(bytes, 'II*\0') || startsWith(bytes, 'MM\0*'),
};

const isobmff = (media_type: string, brands: RegExp): ImageFormat => ({
  media_type,
  matches: (bytes) => startsWith(bytes, 'ftyp', 4) && brands.test(bytes.toString('latin1', 8, 12)),
});

/** Formats that models accept, and formats that are often mistaken for them. */
export const IMAGE_FORMATS: readonly ImageFormat[] = [
  PNG,
  JPEG,
  GIF,
  WEBP,
  BMP,
  TIFF,
  isobmff('image/heic', /^he(?:ic|ix|im|is|vc|vx)$/),
  isobmff('image/heif', /^(?:mif1|msf1)$/),
  isobmff('image/avif', /^avi[fs]$/),
];
