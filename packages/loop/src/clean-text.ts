import type { Json } from '@chatd/protocol';

/** Replaces NUL and lone surrogates, which PostgreSQL cannot store. */
export function cleanText(text: string): string {
  const formed = text.isWellFormed() ? text : text.toWellFormed();
  return formed.includes('\0') ? formed.replaceAll('\0', '\uFFFD') : formed;
}

const MAX_DEPTH = 64;

/** The output of a tool as storable JSON: clean text, no cycles, at most 64 levels. */
export function cleanJson(value: unknown, depth = 0): Json {
  switch (typeof value) {
    case 'string':
      return cleanText(value);
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'boolean':
      return value;
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? null : cleanObject(value, depth);
    case 'undefined':
    case 'function':
    case 'symbol':
      return null;
  }
}

function cleanObject(value: object, depth: number): Json {
  if (depth >= MAX_DEPTH) return '[nested too deeply]';
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, depth + 1));
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return cleanJson(value.toJSON(), depth + 1);
  }
  const copy: Record<string, Json> = {};
  for (const [key, child] of Object.entries(value)) {
    if (child === undefined || typeof child === 'function') continue;
    Object.defineProperty(copy, cleanText(key), {
      value: cleanJson(child, depth + 1),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}
