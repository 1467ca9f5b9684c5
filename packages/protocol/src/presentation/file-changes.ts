import type { Checkpoint } from '../checkpoint.ts';

/** A turn or a restore that changed files. Restoring `before` takes it back. */
export interface FileChange {
  readonly before: Checkpoint;
  /** The last checkpoint. Its counts and its diff are those of the whole change. */
  readonly after: Checkpoint;
}

/** Of checkpoints that are sorted newest first, and so are the changes. */
export function fileChanges(checkpoints: readonly Checkpoint[]): FileChange[] {
  const changes: FileChange[] = [];
  let after: Checkpoint | undefined;
  for (const checkpoint of checkpoints) {
    const isBefore = checkpoint.kind === 'before_turn' || checkpoint.kind === 'before_restore';
    if (!isBefore) {
      after ??= checkpoint;
      continue;
    }
    if (after !== undefined && after.files > 0) changes.push({ before: checkpoint, after });
    after = undefined;
  }
  return changes;
}
