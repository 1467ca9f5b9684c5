import type { AnthropicRule } from './rule.ts';
import type { JsonObject } from '../json.ts';
import { type ClaudeImage, imageFault } from '../claude/image-rules.ts';
import { asObject, asText, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allBlocks } from './rule.ts';

const TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** The inline images of a block, including those in a tool result. */
function imagesIn(block: JsonObject, path: string): ClaudeImage[] {
  const { type, media_type: mediaType, data } = asObject(block['source']);
  const own =
    block['type'] === 'image' && type === 'base64'
      ? [
          {
            path: `${path}.image.source.base64`,
            mediaType: asText(mediaType),
            base64: asText(data),
          },
        ]
      : [];
  const nested = objects(block['content']).flatMap((inner, index) =>
    imagesIn(inner, `${path}.${asText(block['type'])}.content.${index}`),
  );
  return [...own, ...nested];
}

const images: AnthropicRule = ({ body }) => {
  const all = allBlocks(body).flatMap(({ path, block }) => imagesIn(block, path));
  const alien = all.find(({ mediaType }) => !TYPES.includes(mediaType));
  if (alien) {
    const supported = TYPES.map((type) => `'${type}'`).join(', ');
    return badRequest(`${alien.path}.media_type: Input should be ${supported}`);
  }
  const fault = imageFault(all);
  return fault ? badRequest(fault) : undefined;
};

/** The only documents sent as bytes. */
const documents: AnthropicRule = ({ body }) => {
  const wrong = allBlocks(body).find(({ block }) => {
    const { type, media_type: mediaType } = asObject(block['source']);
    return block['type'] === 'document' && type === 'base64' && mediaType !== 'application/pdf';
  });
  return wrong
    ? badRequest(
        `${wrong.path}.document.source.base64.media_type: Input should be 'application/pdf'`,
      )
    : undefined;
};

export const mediaRules: readonly AnthropicRule[] = [images, documents];
