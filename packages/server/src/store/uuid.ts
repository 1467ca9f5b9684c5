import { randomUUID } from 'node:crypto';

/** UUIDv7: the time in milliseconds, then chance. PostgreSQL before 18 cannot make them, so the program does. */
export function uuidv7(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  // Node keeps a stock of chance for its own UUIDs, whose version stands right before what is taken here.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
