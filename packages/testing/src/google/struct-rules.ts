import type { Refusal } from '../refusal.ts';
import type { GoogleRule } from './rule.ts';
import { asObject, isGiven, isObject, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { contentsOf } from './rule.ts';

/** Fields that must be objects, by part. */
const STRUCTS = [
  ['functionCall', 'function_call', 'args'],
  ['functionResponse', 'function_response', 'response'],
] as const;

const structs: GoogleRule = ({ body }) => {
  for (const [index, content] of contentsOf(body).entries()) {
    for (const [at, part] of objects(content['parts']).entries()) {
      for (const [name, proto, field] of STRUCTS) {
        const value = asObject(part[name])[field];
        if (!isGiven(value) || isObject(value)) continue;
        return structFault(value, `contents[${index}].parts[${at}].${proto}`, field);
      }
    }
  }
  return undefined;
};

function structFault(value: unknown, at: string, field: string): Refusal {
  return Array.isArray(value)
    ? badRequest(
        `Invalid JSON payload received. Unknown name "${field}" at '${at}': Proto field is not repeating, cannot start list.`,
      )
    : badRequest(
        `Invalid value at '${at}.${field}' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(value)}`,
      );
}

export const structRules: readonly GoogleRule[] = [structs];
