import { isEncryptedField } from '@chatd/loop';
import type { Json } from '@chatd/protocol';
import type { SecretValues } from '../secrets/secret-values.ts';

export interface CopyLimits {
  /** Maximum characters of a single text. */
  readonly text: number;
  /** Maximum characters in total. The rest is omitted. */
  readonly total: number;
}

const HIDDEN = '[hidden]';
const DEPTH = 40;
/** Names of fields that usually contain secrets. */
const SECRET_NAME =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|password|passwd|secret|token|(?:x-)?(?:goog-)?api[-_]?key|apikey|x-amz-security-token|client_secret|access_token|refresh_token)$/i;

/** A redacted and shortened copy for display. Media is replaced by its size. The original is not changed. */
export function redactedCopy(value: unknown, secrets: SecretValues, limits: CopyLimits): Json {
  return new Copying(secrets, limits).copy(value, DEPTH) ?? null;
}

class Copying {
  readonly #secrets: SecretValues;
  readonly #limits: CopyLimits;
  #left: number;

  constructor(secrets: SecretValues, limits: CopyLimits) {
    this.#secrets = secrets;
    this.#limits = limits;
    this.#left = limits.total;
  }

  /** Undefined: not representable in JSON. */
  copy(value: unknown, depth: number): Json | undefined {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) ? value : null;
      case 'bigint':
        return String(value);
      case 'object':
        return value === null ? null : this.#structure(value, depth);
      case 'undefined':
      case 'function':
      case 'symbol':
        return undefined;
    }
  }

  #text(text: string): string {
    const media = /^data:([^,;]*)[^,]*,/.exec(text.slice(0, 200));
    if (media !== null) return `data:${media[1]} (${text.length} characters)`;
    const room = Math.min(this.#limits.text, Math.max(0, this.#left));
    this.#left -= Math.min(text.length, room);
    if (text.length <= room) return this.#secrets.hideParts(text);
    const shown = this.#secrets.hideParts(text.slice(0, room));
    return `${shown}… (${text.length - room} more characters)`;
  }

  #structure(value: object, depth: number): Json | undefined {
    if (depth === 0) return '…';
    this.#left -= 2;
    if (value instanceof Date) return value.toISOString();
    if (value instanceof URL) return this.#text(value.href);
    if (value instanceof Uint8Array) return { bytes: value.byteLength };
    if (value instanceof ArrayBuffer) return { bytes: value.byteLength };
    return Array.isArray(value) ? this.#list(value, depth) : this.#object(value, depth);
  }

  #list(list: readonly unknown[], depth: number): Json[] {
    const copied: Json[] = [];
    for (const [index, item] of list.entries()) {
      if (this.#left <= 0) {
        copied.push(`… (${list.length - index} more)`);
        break;
      }
      copied.push(this.copy(item, depth - 1) ?? null);
    }
    return copied;
  }

  #object(object: object, depth: number): Json {
    const media = isMedia(object);
    const copied: [string, Json][] = [];
    for (const [key, item] of Object.entries(object) as [string, unknown][]) {
      const value = this.#field(key, item, media, depth);
      if (value === undefined) continue;
      this.#left -= key.length;
      copied.push([this.#secrets.hideParts(key), value]);
    }
    // From entries, because a key may be `__proto__`.
    return Object.fromEntries(copied);
  }

  #field(key: string, value: unknown, media: boolean, depth: number): Json | undefined {
    if (typeof value === 'string') {
      if (SECRET_NAME.test(key)) return HIDDEN;
      if (isEncryptedField(key)) return `(${value.length} encrypted characters)`;
      if (media && key === 'data') return { bytes: Math.floor((value.length * 3) / 4) };
    }
    return this.copy(value, depth - 1);
  }
}

/** `{ mediaType, data }` or `{ type: 'data', data }` with base64 data. */
const isMedia = (object: object): boolean =>
  'data' in object && ('mediaType' in object || ('type' in object && object.type === 'data'));
