import type { JsonObject } from '../json.ts';
import type { Refusal, Rule } from '../refusal.ts';
import { isImageOf, readDataUrl } from '../image.ts';
import { asObject, asText, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';

const IMAGE_ROLES = new Set(['user']);

const images: Rule<JsonObject> = ({ messages }) => {
  for (const [index, { role, content }] of objects(messages).entries()) {
    for (const [at, part] of objects(content).entries()) {
      if (part['type'] !== 'image_url') continue;
      const path = `messages[${index}].content[${at}]`;
      if (!IMAGE_ROLES.has(String(role))) {
        return badRequest(
          `Invalid '${path}'. Image URLs are only allowed for messages with role 'user', but this message with role '${String(role)}' contains an image URL.`,
          { param: path, code: 'invalid_value' },
        );
      }
      const refusal = imageFault(asText(asObject(part['image_url'])['url']), path);
      if (refusal) return refusal;
    }
  }
  return undefined;
};

/** What OpenAI says of an image that is none, or not of the type that it is said to be. */
export function imageFault(url: string, param: string): Refusal | undefined {
  const inline = readDataUrl(url);
  if (inline === undefined && /^https?:/.test(url)) return undefined;
  return inline !== undefined && isImageOf(inline.mediaType, inline.base64)
    ? undefined
    : badRequest(
        "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
        { param, code: 'invalid_image_format' },
      );
}

export const mediaRules: readonly Rule<JsonObject>[] = [images];
