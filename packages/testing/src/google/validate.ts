import type { WireRequest } from '../dialect.ts';
import type { Issued } from '../issued.ts';
import type { Refusal } from '../refusal.ts';
import { firstRefusal } from '../refusal.ts';
import { contentRules } from './content-rules.ts';
import { functionRules } from './function-rules.ts';
import { mediaRules } from './media-rules.ts';
import { methodOf, modelOf } from './model.ts';
import { parameterRules } from './parameter-rules.ts';

export function validate(request: WireRequest, issued: Issued): Refusal | undefined {
  const { body, query } = request;
  const streams = methodOf(request) === 'streamGenerateContent';
  const context = { body, query, streams, model: modelOf(request), issued };
  return firstRefusal(
    [...parameterRules, ...contentRules, ...functionRules, ...mediaRules],
    context,
  );
}
