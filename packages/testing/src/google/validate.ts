import type { WireRequest } from '../dialect.ts';
import type { Issued } from '../issued.ts';
import type { Refusal } from '../refusal.ts';
import { Buffer } from 'node:buffer';
import { firstRefusal } from '../refusal.ts';
import { contentRules } from './content-rules.ts';
import { functionRules } from './function-rules.ts';
import { mediaRules } from './media-rules.ts';
import { methodOf, modelOf } from './model.ts';
import { parameterRules } from './parameter-rules.ts';
import { structRules } from './struct-rules.ts';
import { toolRules } from './tool-rules.ts';

export function validate(request: WireRequest, issued: Issued): Refusal | undefined {
  const { body, query, raw } = request;
  const streams = methodOf(request) === 'streamGenerateContent';
  const bytes = Buffer.byteLength(raw);
  const context = { body, query, streams, bytes, model: modelOf(request), issued };
  return firstRefusal(
    [
      ...parameterRules,
      ...toolRules,
      ...structRules,
      ...contentRules,
      ...functionRules,
      ...mediaRules,
    ],
    context,
  );
}
