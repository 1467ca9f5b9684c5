import type { Json } from '@chatd/protocol';
import { Refused, refusedField } from '../../chat/refused.ts';
import { isStorable, unstorable } from './text.ts';

const MAX_DEPTH = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses untrusted JSON: refuses deep nesting, text that cannot be stored, and keys that pollute prototypes. */
export function parseJson(bytes: Uint8Array): Json {
  const text = decode(bytes);
  if (isTooDeep(text)) {
    throw new Refused('json_too_deep', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  const value = parse(text);
  // Such text can only come from an escape sequence, so other bodies need no check.
  if (/\\u|__proto__|constructor/.test(text)) check(value, '');
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refused('invalid_json', 'The body is not valid UTF-8.');
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new Refused('invalid_json', `The body is not valid JSON: ${why.slice(0, 200)}`);
  }
}

/** Checked before parsing and without recursion, so that a body of brackets is cheap to refuse. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charCodeAt(index);
    if (inString) {
      if (char === BACKSLASH) index += 1;
      else if (char === QUOTE) inString = false;
    } else if (char === QUOTE) {
      inString = true;
    } else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
      depth -= 1;
    }
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function check(value: Json, path: string): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) throw unstorable(path);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) check(item, join(path, String(index)));
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      if (!isStorable(key)) throw unstorable(join(path, key.toWellFormed().replaceAll('\0', '')));
      const inner = value[key] as Json;
      if (pollutesPrototype(key, inner)) throw unknownField(join(path, key));
      check(inner, join(path, key));
    }
  }
}

const join = (path: string, key: string) => (path === '' ? key : `${path}.${key}`);

/** Keys that could change the prototype of an object. */
const pollutesPrototype = (key: string, value: Json) =>
  key === '__proto__' ||
  (key === 'constructor' &&
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, 'prototype'));

export const unknownField = (path: string): Refused =>
  refusedField(path, 'does not exist', 'unknown_field');
