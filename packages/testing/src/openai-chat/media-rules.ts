import type { JsonObject } from '../json.ts';
import type { Rule } from '../refusal.ts';
import { asObject, asText, objects } from '../json.ts';
import { type ImageUrl, imagesFault } from '../openai/images.ts';
import { badRequest } from '../refusal.ts';

const IMAGE_ROLES = new Set(['user']);

const images: Rule<JsonObject> = ({ messages }) => {
  const all: ImageUrl[] = [];
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
      all.push({ url: asText(asObject(part['image_url'])['url']), param: path });
    }
  }
  return imagesFault(all);
};

export const mediaRules: readonly Rule<JsonObject>[] = [images];
