import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import { isGiven } from '../json.ts';
import { badRequest } from '../refusal.ts';

/** OpenAI's error for a field at `path` that must be a string. */
export function stringFault(owner: JsonObject, field: string, path: string): Refusal | undefined {
  const value = owner[field];
  const param = `${path}.${field}`;
  if (typeof value === 'string') return undefined;
  return isGiven(value)
    ? badRequest(
        `Invalid type for '${param}': expected a string, but got ${nameOf(value)} instead.`,
        { param, code: 'invalid_type' },
      )
    : badRequest(`Missing required parameter: '${param}'.`, {
        param,
        code: 'missing_required_parameter',
      });
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
