import type { Writes } from '../writes.ts';

/** A deleted chat is hidden from all users, and can be restored until it is purged. */
export function setDeleted(deleted: boolean): Writes {
  return { deleted };
}
