import type { Checkpoint } from '@chatd/protocol';
import type { CheckpointRow } from '../../store/checkpoints.ts';

export function presentCheckpoint(row: CheckpointRow): Checkpoint {
  return {
    id: row.id,
    kind: row.kind,
    turn_message_id: row.turn_message_id,
    message_id: row.message_id,
    files: row.files,
    additions: row.additions,
    deletions: row.deletions,
    too_large: [...row.too_large],
    created_at: row.created_at.toISOString(),
  };
}
