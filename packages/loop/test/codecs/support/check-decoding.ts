import { expect } from 'vitest';
import { bothWays, type Call } from './decoding.ts';

/** Parts that packages hold back until they know that the response is not an error. */
const ANNOUNCEMENTS = new Set<unknown>(['stream-start', 'response-metadata', 'custom']);

/** Compares a response through the codec with the package. Returns whether the codec decoded it alone. */
export async function checkDecoding(call: Call): Promise<boolean> {
  const { expected, actual, handedOver } = await bothWays(call);
  if (expected.error !== undefined && expected.parts.length === 0) {
    actual.parts = actual.parts.filter(
      (part) => !ANNOUNCEMENTS.has((part as { type: unknown }).type),
    );
  }
  // When the connection is lost, streams drop what is on its way.
  if (call.broken === true) expect(actual.error).toEqual(expected.error);
  else expect(actual).toEqual(expected);
  return !handedOver;
}
