import type { CheckpointKind } from '@chatd/protocol';

export interface CheckpointRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly kind: CheckpointKind;
  readonly turn_message_id: number | null;
  readonly message_id: number | null;
  readonly base_tree: string | null;
  readonly tree: string;
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
  readonly too_large: readonly string[];
  readonly is_open: boolean;
  readonly created_at: Date;
}
