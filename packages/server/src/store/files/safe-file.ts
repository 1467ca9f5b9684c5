import { type MediaFile, mediaTypeOf } from '@chatd/loop';
import { FILE_NAME_LENGTH, isFileName } from '@chatd/protocol';

const OCTETS = 'application/octet-stream';
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;
/** Slashes, control characters, line separators, and characters that change the direction of text. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * A file with a name and type that are safe to store, show and send in a header. Names and types from clients, tools
 * and models can be wrong or hostile. The type is detected from the bytes where possible.
 */
export function safeFile({ data, media_type, name = '' }: MediaFile): Required<MediaFile> {
  return { data, name: safeName(name), media_type: safeType(data, media_type) };
}

function safeType(data: Uint8Array, declared: string): string {
  const [type = ''] = declared.split(';');
  const media_type = type.trim().toLowerCase();
  return mediaTypeOf({ data, media_type: MEDIA_TYPE.test(media_type) ? media_type : OCTETS });
}

function safeName(name: string): string {
  const safe = name.toWellFormed().replaceAll(UNSAFE, '_').trim();
  const short = safe.slice(0, FILE_NAME_LENGTH);
  // Avoid a lone surrogate.
  const whole = short.isWellFormed() ? short : short.slice(0, -1);
  return isFileName(whole) ? whole : 'file';
}
