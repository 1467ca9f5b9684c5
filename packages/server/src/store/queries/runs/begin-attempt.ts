import { statement } from '../../statement.ts';

/** No row: the fence failed; the slow path finds out why. */
export const beginAttemptStatement = statement<
  {
    chat_id: string;
    runner_id: string;
    history_version: number;
    attempt: number;
  },
  { owner_id: string; snapshot_version: number }
>(
  'begin-attempt',
  `UPDATE chats
      SET snapshot_version = snapshot_version + 1,
          attempt = attempt + 1,
          retry_version = CASE WHEN retry IS NULL THEN retry_version ELSE snapshot_version + 1 END,
          retry = NULL,
          queued_for_capacity = false,
          updated_at = now()
    WHERE id = :chat_id AND runner_id = :runner_id AND history_version = :history_version AND attempt = :attempt - 1
      AND status = 'running'
   RETURNING owner_id, snapshot_version`,
);
