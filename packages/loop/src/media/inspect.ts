import type { MediaFile } from '../tools/media.ts';
import { IMAGE_FORMATS, type PixelSize } from './image-formats.ts';

/** What the bytes of a file reveal, regardless of its declared type. */
export interface InspectedMedia {
  readonly media_type: string;
  /** Set for images with a readable header. */
  readonly size?: PixelSize;
  /** False for a truncated or damaged image. Formats that are not checked count as complete. */
  readonly isWhole: boolean;
}

/** Undefined if the bytes are neither an image nor a PDF. */
export function inspectMedia(data: Uint8Array): InspectedMedia | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const format = IMAGE_FORMATS.find((one) => one.matches(bytes));
  if (format === undefined) {
    return isPdf(bytes) ? { media_type: 'application/pdf', isWhole: true } : undefined;
  }
  const size = format.size?.(bytes);
  const hasPixels = format.size === undefined || (size !== undefined && isPositive(size));
  return {
    media_type: format.media_type,
    ...(size !== undefined && { size }),
    isWhole: hasPixels && (format.isWhole?.(bytes) ?? true),
  };
}

const isPositive = ({ width, height }: PixelSize): boolean => width > 0 && height > 0;

const isPdf = (bytes: Buffer): boolean => /^\s*%PDF-/.test(bytes.toString('latin1', 0, 64));

const OCTETS = 'application/octet-stream';

/** Unregistered types that programs use. */
const RECOGNIZED = new Set([
  ...IMAGE_FORMATS.map(({ media_type }) => media_type),
  'image/jpg',
  'image/pjpeg',
  'image/x-png',
  'image/x-ms-bmp',
  'application/pdf',
]);

/** Whether bytes of this type would have been recognized. */
export const isRecognizable = (mediaType: string): boolean => RECOGNIZED.has(mediaType);

/**
 * The type of a file by its bytes. Types that cannot be recognized are taken as declared. If the declared type can be
 * recognized and the bytes do not match, the type is `application/octet-stream`.
 */
export function mediaTypeOf({ data, media_type }: MediaFile): string {
  return inspectMedia(data)?.media_type ?? (isRecognizable(media_type) ? OCTETS : media_type);
}
