import { statement } from '../../statement.ts';

export interface ChatVersion {
  readonly id: string;
  readonly snapshot_version: number;
  readonly worker_id: string | null;
}

/** The versions and owners of all chats that a process watches, in one statement. */
export const versionsOfChats = statement<{ ids: readonly string[] }, ChatVersion>(
  'versions-of-chats',
  `SELECT id, snapshot_version, worker_id FROM chats WHERE id = ANY (:ids::uuid[])`,
);

/** The chats of each user with the newest activity, through chats_by_activity. Finds changes whose hint was lost. */
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
