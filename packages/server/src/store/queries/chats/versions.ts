import { statement } from '../../statement.ts';

export interface ChatVersion {
  readonly id: string;
  readonly snapshot_version: number;
  readonly worker_id: string | null;
}

/** Which of these chats have changed, or have another owner: one statement for all that a process watches. */
export const versionsOfChats = statement<{ ids: readonly string[] }, ChatVersion>(
  'versions-of-chats',
  `SELECT id, snapshot_version, worker_id FROM chats WHERE id = ANY (:ids::uuid[])`,
);

/**
 * The chats of these users in which something happened last, through the index chats_by_activity: what a watcher
 * must know of, had nobody told it.
 */
export const newestVersions = statement<
  { owner_ids: readonly string[]; limit: number },
  {
    readonly id: string;
    readonly owner_id: string;
    readonly snapshot_version: number;
  }
>(
  'newest-versions',
  `SELECT chat.id, owner.id AS owner_id, chat.snapshot_version
     FROM unnest(:owner_ids::uuid[]) AS owner (id)
    CROSS JOIN LATERAL (
            SELECT id, snapshot_version
              FROM chats
             WHERE owner_id = owner.id AND deleted_at IS NULL AND pin_order = 0
             ORDER BY active_at DESC, id DESC
             LIMIT :limit) AS chat`,
);
