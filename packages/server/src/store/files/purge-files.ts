import type { Database } from '../database.ts';
import {
  backfillChatFiles,
  finishBackfill,
  forgetObjects,
  keepUsedFiles,
  lockUnusedFiles,
  purgeUnusedFiles,
  unwantedObjects,
} from '../queries/unused-files.ts';
import type { ObjectStorage } from './object-storage.ts';

/** Returns the chats of one batch. Fewer than `limit`: it was the last. */
export async function findReferences(
  database: Database,
  limit: number,
): Promise<readonly unknown[]> {
  const chats = await database.query(backfillChatFiles, { limit });
  if (chats.length < limit) await database.query(finishBackfill);
  return chats;
}

/**
 * Deletes one batch of unused files, in two statements: the second one sees references that were committed before the
 * locks of the first.
 */
export async function purgeFiles(database: Database, limit: number): Promise<readonly unknown[]> {
  return await database.transaction(async (tx) => {
    const locked = await tx.query(lockUnusedFiles, { limit });
    const ids = locked.map(({ id }) => id);
    if (ids.length === 0) return [];
    await tx.query(purgeUnusedFiles, { ids });
    await tx.query(keepUsedFiles, { ids });
    return locked;
  });
}

/** Deletes one batch of objects whose files are deleted. */
export async function purgeObjects(
  database: Database,
  storage: ObjectStorage | undefined,
  limit: number,
): Promise<readonly unknown[]> {
  if (storage === undefined) return [];
  const objects = await database.query(unwantedObjects, { limit });
  const keys = objects.map(({ key }) => key);
  for (const key of keys) await storage.delete(key);
  if (keys.length > 0) await database.query(forgetObjects, { keys });
  return objects;
}
