import type { Json } from '@chatd/protocol';
import { expect } from 'vitest';
import type { Observed } from './observe.ts';

/** Not compared: `queued_for_capacity` is transient, and the `host` of a workspace is now `machine_name`. */
const IGNORED_FIELDS = new Set(['queued_for_capacity', 'host']);

/** This version returns everything that the old version returned. It may return more fields. */
export function expectAll(
  now: { readonly admin: Observed; readonly member: Observed },
  before: { readonly admin: Observed; readonly member: Observed },
): void {
  for (const whose of ['admin', 'member'] as const) {
    for (const [path, said] of Object.entries(before[whose])) {
      const kept = withoutIgnored(said);
      expect(pickFields(now[whose][path] ?? null, kept), `${whose}: ${path}`).toEqual(kept);
    }
  }
}

function withoutIgnored(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutIgnored);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !IGNORED_FIELDS.has(key))
      .map(([key, inner]) => [key, withoutIgnored(inner)]),
  );
}

/** The fields of a value that the model has, recursively. */
function pickFields(value: Json, model: Json): Json {
  if (Array.isArray(value) && Array.isArray(model)) {
    return value.map((item, index) => pickFields(item, model[index] ?? null));
  }
  if (!isObject(value) || !isObject(model)) return value;
  return Object.fromEntries(
    Object.keys(model)
      .filter((key) => key in value)
      .map((key) => [key, pickFields(value[key] ?? null, model[key] ?? null)]),
  );
}

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
