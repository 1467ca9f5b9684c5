import { inspectMedia } from '@chatd/loop';

/** Image types that browsers and models can show. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Detects an image by its first bytes, regardless of its name. */
export function imageType(bytes: Uint8Array): string | undefined {
  const type = inspectMedia(bytes)?.media_type;
  return type !== undefined && SHOWN.has(type) ? type : undefined;
}

/** Text contains no NUL and little invalid UTF-8. */
export function isBinary(bytes: Buffer): boolean {
  if (bytes.includes(0)) return true;
  const text = bytes.toString('utf8');
  let odd = 0;
  for (const character of text) if (character === '\uFFFD') odd += 1;
  return odd > text.length / 10;
}
