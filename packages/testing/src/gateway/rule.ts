import type { WireRequest } from '../dialect.ts';
import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import type { Rule } from '../refusal.ts';
import type { Vendor } from './vendor.ts';
import { asObject, objects } from '../json.ts';

export interface Context {
  request: WireRequest;
  body: JsonObject;
  vendor: Vendor;
  issued: Issued;
}

export type GatewayRule = Rule<Context>;

export interface Located {
  /** `prompt.1.content.0`. */
  path: string;
  role: unknown;
  part: JsonObject;
}

export function promptOf(body: JsonObject): JsonObject[] {
  return objects(body['prompt']);
}

export function allParts(body: JsonObject): Located[] {
  return promptOf(body).flatMap(({ role, content }, at) =>
    objects(content).map((part, index) => ({ path: `prompt.${at}.content.${index}`, role, part })),
  );
}

/** Provider options of a part for one vendor. */
export function saidTo(vendor: Vendor, part: JsonObject): JsonObject {
  return asObject(asObject(part['providerOptions'])[vendor]);
}
