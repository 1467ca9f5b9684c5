import type { Writes } from '../writes.ts';

/** A deleted chat does not exist for anybody, but can be restored until it is purged. */
export function setDeleted(deleted: boolean): Writes {
  return { deleted };
}
