import type { Files } from '../files.ts';
import type { Family } from '../providers/family.ts';
import { isTextType, takesMedia } from '../providers/media-types.ts';
import type { MediaFile } from '../tools/media.ts';
import { inspectMedia, type InspectedMedia, isRecognizable } from './inspect.ts';
import { mediaLimits, type MediaLimits } from './limits.ts';
import { hiddenNote, inMegabytes } from './notes.ts';

/** A file that a provider accepts, or a note for the model. */
export type Shown = { readonly file: MediaFile } | { readonly note: string };

/**
 * The file in a form that the provider accepts. A single unacceptable file makes every provider reject the whole
 * prompt.
 */
export async function fitMedia(
  file: MediaFile,
  to: { readonly family: Family; readonly files: Files },
): Promise<Shown> {
  const limits = mediaLimits(to.family);
  const found = inspectMedia(file.data);
  const typed = { ...file, media_type: found?.media_type ?? file.media_type };
  if (isTextType(typed.media_type)) {
    return typed.data.length <= limits.totalBytes
      ? { file: typed }
      : { note: hiddenNote(typed, tooLarge(typed.data.length, limits.totalBytes)) };
  }
  const problem = problemOf(typed, found, to.family, limits);
  if (problem === undefined && sideOf(found) <= preferredSide(limits)) return { file: typed };
  const scaled = found?.media_type.startsWith('image/') && (await scaledCopy(typed, to, limits));
  if (scaled) return { file: scaled };
  return problem === undefined ? { file: typed } : { note: hiddenNote(typed, problem) };
}

async function scaledCopy(
  image: MediaFile,
  { family, files }: { readonly family: Family; readonly files: Files },
  limits: MediaLimits,
): Promise<MediaFile | undefined> {
  const limit = { maxBytes: limits.imageBytes, maxSide: preferredSide(limits) };
  try {
    const copy = await files.scaleImage?.(image, limit);
    if (copy === undefined) return undefined;
    return problemOf(copy, inspectMedia(copy.data), family, limits) === undefined
      ? copy
      : undefined;
  } catch {
    return undefined;
  }
}

/** The lower limit for many images always applies: an image must not change when others join the prompt. */
const preferredSide = ({ imageSide, manyImages }: MediaLimits): number =>
  manyImages?.side ?? imageSide;

const sideOf = (found: InspectedMedia | undefined): number =>
  found?.size === undefined ? 0 : Math.max(found.size.width, found.size.height);

/** Why the provider would reject the file. */
function problemOf(
  { data, media_type }: MediaFile,
  found: InspectedMedia | undefined,
  family: Family,
  limits: MediaLimits,
): string | undefined {
  if (data.length === 0) return 'it is empty';
  if (found === undefined && isRecognizable(media_type)) {
    return `its bytes are not a valid ${formatName(media_type)}`;
  }
  if (!takesMedia(family, media_type)) return `the model does not take ${media_type}`;
  if (found?.isWhole === false) return `its bytes are not a complete ${formatName(media_type)}`;
  const maxBytes = bytesLimit(media_type, limits);
  if (data.length > maxBytes) return tooLarge(data.length, maxBytes);
  const side = sideOf(found);
  return side > limits.imageSide
    ? `it is ${side} pixels wide or high; the limit is ${limits.imageSide}`
    : undefined;
}

const tooLarge = (bytes: number, limit: number): string =>
  `its size is ${inMegabytes(bytes)}; the limit is ${inMegabytes(limit)}`;

const formatName = (mediaType: string): string =>
  mediaType.slice(mediaType.lastIndexOf('/') + 1).toUpperCase();

function bytesLimit(mediaType: string, limits: MediaLimits): number {
  if (mediaType.startsWith('image/')) return limits.imageBytes;
  return mediaType.startsWith('application/') ? limits.documentBytes : limits.totalBytes;
}
