import type { Family } from '../providers/family.ts';

/** File limits of a provider. Sizes are those of the file itself; base64 adds a third. */
export interface MediaLimits {
  readonly imageBytes: number;
  /** The longer side of an image, in pixels. */
  readonly imageSide: number;
  /** With more images than this in a request, the longer side has a lower limit. */
  readonly manyImages?: { readonly over: number; readonly side: number };
  readonly documentBytes: number;
  /** Per request: images, documents, and total bytes of all files. */
  readonly images: number;
  readonly documents: number;
  readonly totalBytes: number;
}

const MB = 1_000_000;
const inBase64 = (bytes: number): number => Math.floor((bytes * 3) / 4);

/** Anthropic measures an image's 5 MiB in base64. A request has 32 MB; the rest is left for text. */
const ANTHROPIC: MediaLimits = {
  imageBytes: inBase64(5 * 1024 * 1024),
  imageSide: 8000,
  manyImages: { over: 20, side: 2000 },
  documentBytes: inBase64(24 * MB),
  images: 100,
  documents: 100,
  totalBytes: inBase64(24 * MB),
};

/** Any model can be behind these; Anthropic's limits are the lowest of the large providers. */
const UNKNOWN = ANTHROPIC;

const LIMITS: Record<Family, MediaLimits> = {
  anthropic: ANTHROPIC,
  openrouter: UNKNOWN,
  other: UNKNOWN,
  // A request has 50 MB and 500 images.
  'openai-responses': {
    imageBytes: 20 * MB,
    imageSide: 8000,
    documentBytes: inBase64(40 * MB),
    images: 500,
    documents: 500,
    totalBytes: inBase64(40 * MB),
  },
  // A request with inline data has 20 MB, an image 7 MB.
  google: {
    imageBytes: 7 * MB,
    imageSide: 8000,
    documentBytes: inBase64(18 * MB),
    images: 900,
    documents: 900,
    totalBytes: inBase64(18 * MB),
  },
  bedrock: {
    imageBytes: 3.75 * MB,
    imageSide: 8000,
    documentBytes: 4.5 * MB,
    images: 20,
    documents: 5,
    totalBytes: inBase64(18 * MB),
  },
};

export const mediaLimits = (family: Family): MediaLimits => LIMITS[family];
