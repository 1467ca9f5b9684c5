/** Values of the checksum in a sequence number. */
const CHECKSUMS = 1024;
/** FNV-1a. */
const OFFSET_BASIS = 0x81_1c_9d_c5;
const PRIME = 0x01_00_01_93;

/**
 * The place of an event in its response: how many structural events and characters of deltas precede its end, and a hash
 * of them. Every replica computes the same place from the same content, however the content is divided into deltas.
 */
interface SequencePlace {
  readonly count: number;
  readonly hash: number;
}

export const FIRST_PLACE: SequencePlace = { count: 0, hash: OFFSET_BASIS };

/** The place after more text. A structural event counts as 1, whatever its name. */
export function placeAfter(
  { count, hash }: SequencePlace,
  text: string,
  units: number,
): SequencePlace {
  let sum = hash;
  for (let index = 0; index < text.length; index += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(index), PRIME);
  }
  return { count: count + units, hash: sum };
}

/** Grows with the place. The checksum tells whether a client has seen the same content up to there. */
export const sequenceNumber = ({ count, hash }: SequencePlace): number =>
  count * CHECKSUMS + checksum(hash);

export const countOf = (number: number): number => Math.max(0, Math.floor(number / CHECKSUMS));

/** The lower bits of FNV-1a depend on few characters, so all bits are folded. */
const checksum = (hash: number) => ((hash >>> 20) ^ (hash >>> 10) ^ hash) & (CHECKSUMS - 1);
