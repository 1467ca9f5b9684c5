import type { WireRequest } from '../dialect.ts';
import type { Issued } from '../issued.ts';
import type { Refusal } from '../refusal.ts';
import { firstRefusal } from '../refusal.ts';
import { callRules } from './call-rules.ts';
import { parameterRules } from './parameter-rules.ts';
import { promptRules } from './prompt-rules.ts';
import { modelOf, vendorOf } from './vendor.ts';
import { vendorRules } from './vendor-rules.ts';

export function validate(request: WireRequest, issued: Issued): Refusal | undefined {
  const rules = [...parameterRules, ...promptRules, ...callRules, ...vendorRules];
  const { body } = request;
  return firstRefusal(rules, { request, body, vendor: vendorOf(modelOf(request)), issued });
}
