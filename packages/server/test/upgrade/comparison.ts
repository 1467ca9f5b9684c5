import type { Json } from '@chatd/protocol';
import { expect } from 'vitest';
import type { Observed } from './observe.ts';

/** What is not kept, but true at a moment; and the name of the machine of a workspace, which is now `machine_name`. */
const NOT_KEPT = new Set(['queued_for_capacity', 'host']);

/** Every answer of the old version is one of this version, which may say more. */
export function expectAll(
  now: { readonly admin: Observed; readonly member: Observed },
  before: { readonly admin: Observed; readonly member: Observed },
): void {
  for (const whose of ['admin', 'member'] as const) {
    for (const [path, said] of Object.entries(before[whose])) {
      const kept = withoutMoment(said);
      expect(likeness(now[whose][path] ?? null, kept), `${whose}: ${path}`).toEqual(kept);
    }
  }
}

function withoutMoment(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutMoment);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !NOT_KEPT.has(key))
      .map(([key, inner]) => [key, withoutMoment(inner)]),
  );
}

/** Of a value, what another speaks of. */
function likeness(value: Json, model: Json): Json {
  if (Array.isArray(value) && Array.isArray(model)) {
    return value.map((item, index) => likeness(item, model[index] ?? null));
  }
  if (!isObject(value) || !isObject(model)) return value;
  return Object.fromEntries(
    Object.keys(model)
      .filter((key) => key in value)
      .map((key) => [key, likeness(value[key] ?? null, model[key] ?? null)]),
  );
}

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
