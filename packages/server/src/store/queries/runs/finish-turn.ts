import { statement } from '../../statement.ts';

/** No row: messages wait, or the fence failed; the slow path sees to it. */
export const finishTurnStatement = statement<
  { chat_id: string; runner_id: string; history_version: number },
  {
    owner_id: string;
    snapshot_version: number;
    attempt: number;
  }
>(
  'finish-turn',
  `UPDATE chats
      SET snapshot_version = snapshot_version + 1,
          status = 'waiting',
          runner_id = NULL,
          worker_id = NULL,
          retry_version = CASE WHEN retry IS NULL THEN retry_version ELSE snapshot_version + 1 END,
          retry = NULL,
          queued_for_capacity = false,
          compaction_requested = false,
          active_at = now(),
          updated_at = now()
    WHERE id = :chat_id AND runner_id = :runner_id AND history_version = :history_version
      AND status = 'running' AND queue_length = 0 AND open_calls = '[]'
   RETURNING owner_id, snapshot_version, attempt`,
);
