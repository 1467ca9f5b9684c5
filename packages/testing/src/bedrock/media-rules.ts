import type { JsonObject } from '../json.ts';
import type { BedrockRule } from './rule.ts';
import { type ClaudeImage, imageFault } from '../claude/image-rules.ts';
import { asObject, asText, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allBlocks } from './rule.ts';

const FORMATS = ['png', 'jpeg', 'gif', 'webp'];
const DOCUMENT_NAME = /^[a-zA-Z0-9 ()[\]-]{1,200}$/;

/** The block and, for a result, its content. */
function withNested(block: JsonObject): JsonObject[] {
  return [block, ...objects(asObject(block['toolResult'])['content'])];
}

const images: BedrockRule = ({ body }) => {
  const all: ClaudeImage[] = [];
  for (const { path, block } of allBlocks(body)) {
    for (const { image } of withNested(block).filter((inner) => 'image' in inner)) {
      const { format, source } = asObject(image);
      const base64 = asText(asObject(source)['bytes']);
      if (!FORMATS.includes(asText(format))) {
        return badRequest(
          `1 validation error detected: Value '${asText(format)}' at '${path}.image.format' failed to satisfy constraint: Member must satisfy enum value set: [${FORMATS.join(', ')}]`,
        );
      }
      all.push({
        path: `${path}.image.source.base64`,
        mediaType: `image/${asText(format)}`,
        base64,
      });
    }
  }
  const fault = imageFault(all);
  return fault ? badRequest(`The model returned the following errors: ${fault}`) : undefined;
};

const documents: BedrockRule = ({ body }) => {
  const blocks = allBlocks(body).flatMap(({ path, block }) =>
    withNested(block).flatMap((inner) => ('document' in inner ? [{ path, inner }] : [])),
  );
  const wrong = blocks.find(
    ({ inner }) => !DOCUMENT_NAME.test(asText(asObject(inner['document'])['name'])),
  );
  return wrong
    ? badRequest(
        `The document file name at ${wrong.path} can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets.`,
      )
    : undefined;
};

export const mediaRules: readonly BedrockRule[] = [images, documents];
