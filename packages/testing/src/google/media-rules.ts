import type { JsonObject } from '../json.ts';
import type { GoogleRule } from './rule.ts';
import { isImageOf } from '../image.ts';
import { asObject, asText, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { contentsOf } from './rule.ts';

const TYPES =
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/pdf|text\/[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+)$/;
const CHECKED = new Set(['image/png', 'image/jpeg', 'image/webp']);

/** Parts of a content, including those of function responses. */
function inlineIn(content: JsonObject): JsonObject[] {
  const parts = objects(content['parts']);
  const nested = parts.flatMap((part) => objects(asObject(part['functionResponse'])['parts']));
  return [...parts, ...nested]
    .filter((part) => 'inlineData' in part)
    .map((part) => asObject(part['inlineData']));
}

const media: GoogleRule = ({ body }) => {
  for (const { mimeType, data } of contentsOf(body).flatMap(inlineIn)) {
    const type = asText(mimeType);
    if (!TYPES.test(type)) return badRequest(`Unsupported MIME type: ${type}`);
    if (CHECKED.has(type) && !isImageOf(type, asText(data))) {
      return badRequest('Unable to process input image. Please retry with a valid one.');
    }
  }
  return undefined;
};

export const mediaRules: readonly GoogleRule[] = [media];
