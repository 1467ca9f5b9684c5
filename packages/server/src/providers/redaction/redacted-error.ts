import type { SecretValues } from '../../secrets/secret-values.ts';

/** Maximum depth of attached bodies, headers and causes. */
const DEPTH = 8;

/** The whole prompt, which may be long and is not needed in errors. */
const NOT_KEPT = 'requestBodyValues';

/**
 * Redacts an error: message, stack, cause, body, headers and other fields. Errors are changed in place, because their
 * class matters; other objects are copied, because they may be shared.
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
      // Read explicitly, because the stack is an accessor.
      const value = key === NOT_KEPT ? undefined : this.clean(Reflect.get(error, key), depth - 1);
      const property = { value, enumerable, writable: true, configurable: true };
      if (!Reflect.defineProperty(error, key, property)) {
        return new Error('A provider failed with an error that cannot be shown.');
      }
    }
    return error;
  }
}
