import type { WireRequest } from '../dialect.ts';
import type { Refusal } from '../refusal.ts';
import { firstRefusal } from '../refusal.ts';
import { mediaRules } from './media-rules.ts';
import { messageFields } from './message-fields.ts';
import { messageRules } from './message-rules.ts';
import { PARAMETERS, parameterRules } from './parameter-rules.ts';
import { toolResultRules } from './tool-result-rules.ts';

export function validate({ body }: WireRequest): Refusal | undefined {
  const rules = [
    ...parameterRules(PARAMETERS),
    ...messageRules,
    messageFields(),
    ...toolResultRules,
    ...mediaRules,
  ];
  return firstRefusal(rules, body);
}
