import type { WireRequest } from '../dialect.ts';
import type { Issued } from '../issued.ts';
import type { Refusal } from '../refusal.ts';
import { firstRefusal } from '../refusal.ts';
import { callRules } from './call-rules.ts';
import { inputRules } from './input-rules.ts';
import { itemRules } from './item-rules.ts';
import { mediaRules } from './media-rules.ts';
import { parameterRules } from './parameter-rules.ts';

export function validate({ body }: WireRequest, issued: Issued): Refusal | undefined {
  const rules = [...parameterRules, ...inputRules, ...itemRules, ...callRules, ...mediaRules];
  return firstRefusal(rules, { body, issued });
}
