import { expect } from 'vitest';
import { bothWays, type Call } from './decoding.ts';

/** Compares the codec's decoding of a response with the package's. Returns whether the codec needed no fallback. */
export async function checkDecoding(call: Call): Promise<boolean> {
  const { expected, actual, handedOver } = await bothWays(call);
  if (expected.error === undefined) expect(actual).toEqual(expected);
  else expect(actual.error).toEqual(expected.error);
  // A lost connection also loses parts in flight, and some packages hold back the first parts.
  if (call.broken !== true) {
    const shared = Math.max(1, Math.min(actual.parts.length, expected.parts.length)) - 1;
    expect(actual.parts.slice(0, shared)).toEqual(expected.parts.slice(0, shared));
  }
  return !handedOver;
}
