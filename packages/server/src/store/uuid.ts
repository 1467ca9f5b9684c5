import { randomUUID } from 'node:crypto';

/** UUIDv7: the time in milliseconds, then random bits. PostgreSQL before 18 cannot generate them. */
export function uuidv7(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  // `randomUUID` has a cache of random bits. The slice starts after its version digit.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
