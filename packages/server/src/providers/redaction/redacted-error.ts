import type { SecretValues } from '../../secrets/secret-values.ts';

/** Errors hang bodies, headers and causes on themselves; deeper than this is nothing that anybody reads. */
const DEPTH = 8;

/** The whole prompt: nobody who handles an error reads it, and it may be long. */
const NOT_KEPT = 'requestBodyValues';

/**
 * The same error without a secret in it: message, stack, cause, body, headers, whatever hangs on it. Errors are changed
 * in place, since what they are instances of decides what becomes of them; all else is copied, since it may be shared.
 */
export function redactedError(error: unknown, secrets: SecretValues): unknown {
  return new Cleaning(secrets).clean(error, DEPTH);
}

class Cleaning {
  readonly #secrets: SecretValues;
  readonly #errors = new Set<Error>();

  constructor(secrets: SecretValues) {
    this.#secrets = secrets;
  }

  clean(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#secrets.hideParts(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === 0) return undefined;
    if (value instanceof Error) return this.#cleanError(value, depth);
    if (Array.isArray(value)) return value.map((item) => this.clean(item, depth - 1));
    const entries = value instanceof Headers ? [...value] : Object.entries(value);
    return Object.fromEntries(
      entries.map(([key, item]) => [this.#secrets.hideParts(key), this.clean(item, depth - 1)]),
    );
  }

  #cleanError(error: Error, depth: number): Error {
    if (this.#errors.has(error)) return error;
    this.#errors.add(error);
    for (const key of Reflect.ownKeys(error)) {
      const enumerable = Reflect.getOwnPropertyDescriptor(error, key)?.enumerable ?? false;
      // Read, not copied: the stack is an accessor.
      const value = key === NOT_KEPT ? undefined : this.clean(Reflect.get(error, key), depth - 1);
      const property = { value, enumerable, writable: true, configurable: true };
      if (!Reflect.defineProperty(error, key, property)) {
        return new Error('A provider failed with an error that cannot be shown.');
      }
    }
    return error;
  }
}
