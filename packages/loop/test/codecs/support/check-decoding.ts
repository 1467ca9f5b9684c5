import { expect } from 'vitest';
import { bothWays, type Call } from './decoding.ts';

/** Compares a response through the codec with the package. Returns whether the codec decoded it alone. */
export async function checkDecoding(call: Call): Promise<boolean> {
  const { expected, actual, handedOver } = await bothWays(call);
  if (expected.error === undefined) expect(actual).toEqual(expected);
  else expect(actual.error).toEqual(expected.error);
  // When the connection is lost, parts that are on their way are lost too. Some packages hold the first ones back.
  if (call.broken !== true) {
    const shared = Math.max(1, Math.min(actual.parts.length, expected.parts.length)) - 1;
    expect(actual.parts.slice(0, shared)).toEqual(expected.parts.slice(0, shared));
  }
  return !handedOver;
}
