import type { WireRequest } from '../dialect.ts';
import type { Issued } from '../issued.ts';
import type { Refusal } from '../refusal.ts';
import { firstRefusal } from '../refusal.ts';
import { mediaRules } from './media-rules.ts';
import { messageRules } from './message-rules.ts';
import { parameterRules } from './parameter-rules.ts';
import { serverToolRules } from './server-tool-rules.ts';
import { thinkingRules } from './thinking-rules.ts';
import { toolResultRules } from './tool-result-rules.ts';
import { toolRules } from './tool-rules.ts';

export function validate(request: WireRequest, issued: Issued): Refusal | undefined {
  const rules = [
    ...parameterRules,
    ...toolRules,
    ...messageRules,
    ...toolResultRules,
    ...serverToolRules,
    ...thinkingRules,
    ...mediaRules,
  ];
  return firstRefusal(rules, { request, body: request.body, issued });
}
