import type { WireRequest } from '../dialect.ts';
import type { Refusal } from '../refusal.ts';
import { firstRefusal } from '../refusal.ts';
import { messageRules } from './message-rules.ts';
import { parameterRules } from './parameter-rules.ts';
import { toolResultRules } from './tool-result-rules.ts';

export function validate({ body }: WireRequest): Refusal | undefined {
  return firstRefusal([...parameterRules, ...messageRules, ...toolResultRules], body);
}
