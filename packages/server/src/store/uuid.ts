import { randomUUID } from 'node:crypto';

let latest = 0;
/** IDs since the latest time. */
let count = 0;

/**
 * UUIDv7: the time in milliseconds, a counter of 12 bits, then random bits. IDs that a process creates in the same
 * millisecond are in the order of their creation. PostgreSQL before 18 cannot generate them.
 */
export function uuidv7(now: number = Date.now()): string {
  count = now > latest ? 0 : count + 1;
  latest = Math.max(now, latest);
  // More IDs than the counter has values continue in the next millisecond.
  const time = (now + Math.floor(count / 4096)).toString(16).padStart(12, '0');
  const order = (count % 4096).toString(16).padStart(3, '0');
  // `randomUUID` has a cache of random bits. The slice starts after its random digits next to the version.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}${randomUUID().slice(18)}`;
}
