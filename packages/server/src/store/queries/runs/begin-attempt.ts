import { statement } from '../../statement.ts';

/** No row: the fence failed; the slow path finds out why. */
export const beginAttemptStatement = statement<{ owner_id: string; snapshot_version: number }>(
  'begin-attempt',
  `UPDATE chats
      SET snapshot_version = snapshot_version + 1,
          attempt = attempt + 1,
          retry_version = CASE WHEN retry IS NULL THEN retry_version ELSE snapshot_version + 1 END,
          retry = NULL,
          queued_for_capacity = false,
          updated_at = now()
    WHERE id = $1 AND runner_id = $2 AND history_version = $3 AND attempt = $4 - 1
      AND status = 'running'
   RETURNING owner_id, snapshot_version`,
);
