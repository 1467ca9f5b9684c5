import { randomUUID } from 'node:crypto';

let last = 0;
let count = 0;

/**
 * UUIDv7: the time in milliseconds, a counter of 12 bits, then random bits. IDs that a process creates in the same
 * millisecond are in the order of their creation. PostgreSQL before 18 cannot generate them.
 */
export function uuidv7(): string {
  const now = Date.now();
  count = now === last ? count + 1 : 0;
  last = now;
  return uuidv7At(now, count);
}

/** `order` is the place among the IDs of the same millisecond. */
export function uuidv7At(at: number, order = 0): string {
  // More IDs than the counter has values continue in the next millisecond.
  const time = (at + Math.floor(order / 4096)).toString(16).padStart(12, '0');
  const counter = (order % 4096).toString(16).padStart(3, '0');
  // `randomUUID` has a cache of random bits. The slice is its last 62 of them.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}${randomUUID().slice(18)}`;
}
