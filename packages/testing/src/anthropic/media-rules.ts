import type { AnthropicRule } from './rule.ts';
import { isImageOf } from '../image.ts';
import { asObject, asText, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allBlocks } from './rule.ts';

const TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

const images: AnthropicRule = ({ body }) => {
  for (const { path, block } of allBlocks(body)) {
    const inner = [block, ...objects(block['content'])].filter(({ type }) => type === 'image');
    for (const { source } of inner) {
      const { type, media_type: mediaType, data } = asObject(source);
      if (type !== 'base64') continue;
      if (!TYPES.includes(asText(mediaType))) {
        return badRequest(
          `${path}.image.source.base64.media_type: Input should be ${TYPES.map((one) => `'${one}'`).join(', ')}`,
        );
      }
      if (!isImageOf(asText(mediaType), asText(data))) {
        return badRequest(
          `${path}.image.source.base64: The image was specified using the ${asText(mediaType)} media type, but the image does not appear to be one`,
        );
      }
    }
  }
  return undefined;
};

/** The only documents that come as bytes. */
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
