import type { JsonObject } from '../json.ts';
import type { ResponsesRule } from './rule.ts';
import { asText, objects } from '../json.ts';
import { imageFault } from '../openai/images.ts';
import { inputOf } from './rule.ts';

/** The contents of a message, or of what a function gave back. */
const contentsOf = (item: JsonObject): JsonObject[] => [
  ...objects(item['content']),
  ...objects(item['output']),
];

const images: ResponsesRule = ({ body }) => {
  for (const [index, item] of inputOf(body).entries()) {
    for (const [at, part] of contentsOf(item).entries()) {
      if (part['type'] !== 'input_image' || part['file_id'] !== undefined) continue;
      const refusal = imageFault(asText(part['image_url']), `input[${index}].content[${at}]`);
      if (refusal) return refusal;
    }
  }
  return undefined;
};

export const mediaRules: readonly ResponsesRule[] = [images];
