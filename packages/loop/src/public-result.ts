import type { Json } from '@chatd/protocol';

/** `encryptedContent`, `encrypted_index` and similar fields, which only the provider can read. */
export const isEncryptedField = (name: string): boolean => /^encrypted[_A-Z]/.test(name);

/**
 * The result of a provider-executed call as clients receive it. The history keeps the encrypted fields, because the
 * provider requires them in the next prompt.
 */
export function publicResult(result: Json): Json {
  if (typeof result !== 'object' || result === null) return result;
  if (Array.isArray(result)) return result.map(publicResult);
  // From entries, because a field may be named `__proto__`.
  return Object.fromEntries(
    Object.entries(result).flatMap(([name, value]) =>
      isEncryptedField(name) ? [] : [[name, publicResult(value)]],
    ),
  );
}
