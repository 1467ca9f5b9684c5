import type { JsonObject } from '../json.ts';
import type { ResponsesRule } from './rule.ts';
import { asText, objects } from '../json.ts';
import { imagesFault } from '../openai/images.ts';
import { inputOf } from './rule.ts';

/** The contents of a message or a function output. */
const contentsOf = (item: JsonObject): JsonObject[] => [
  ...objects(item['content']),
  ...objects(item['output']),
];

const images: ResponsesRule = ({ body }) =>
  imagesFault(
    inputOf(body).flatMap((item, index) =>
      contentsOf(item).flatMap((part, at) =>
        part['type'] === 'input_image' && part['file_id'] === undefined
          ? [{ url: asText(part['image_url']), param: `input[${index}].content[${at}]` }]
          : [],
      ),
    ),
  );

export const mediaRules: readonly ResponsesRule[] = [images];
