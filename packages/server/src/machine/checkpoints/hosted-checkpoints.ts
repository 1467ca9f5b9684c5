/**
 * Recorded states of the files of a workspace, outside of its sandbox. A state is named by the hash of its content
 * (`tree`). All throw `CheckpointsUnavailable`. Repeating a request after a failure is harmless.
 */
export interface HostedCheckpoints {
  /** Records the present files under `id`. The changes since `base` are as `git diff --raw --numstat -z` prints them. */
  save(id: string, base: string | null): Promise<SavedCheckpoint>;
  diff(from: string, to: string): Promise<CheckpointChanges>;
  /**
   * The files that a restore of `target` would overwrite or delete although `present` differs from `last` there, or does
   * not contain them: ignored and large files.
   */
  conflicts(states: {
    readonly last: string | null;
    readonly present: string;
    readonly target: string;
  }): Promise<readonly string[]>;
  /**
   * Makes the files those of `target`. False: the files are no longer those of `expected`, and nothing was changed. The
   * restore `id` happens once: if it was begun, opening the workspace completes it, and repeating it changes nothing.
   */
  restore(id: string, target: string, expected: string): Promise<boolean>;
  /** Deletes records, and the content that no other record has. */
  prune(records: PrunedRecords): Promise<void>;
}

export interface PrunedRecords {
  readonly remove: readonly string[];
  /** All other records are deleted as well, if they are older than `before` by the time in their UUID. */
  readonly keep: readonly string[];
  /** In milliseconds since the epoch. */
  readonly before: number;
}

/** The checkpoints as a driver opens them. */
export interface RecoverableCheckpoints extends HostedCheckpoints {
  /** Completes a restore that was cut off. Call it before anything else uses the files. */
  recover(): Promise<void>;
  /** Makes the files those of a record of another workspace on this machine. */
  adopt(id: string, tree: string, workspaceId: string): Promise<void>;
}

export interface SavedCheckpoint {
  readonly tree: string;
  /** Null: without a base, or the content of the base is lost. */
  readonly changes: string | null;
  /** Paths of files that are too large to be recorded. At most 100. */
  readonly tooLarge: readonly string[];
}

export interface CheckpointChanges {
  readonly changes: string;
  readonly changesCut: boolean;
  readonly patch: string;
  readonly patchCut: boolean;
}

/** The workspace has no checkpoints, or no longer this one. The message gives the reason. */
export class CheckpointsUnavailable extends Error {
  override readonly name = 'CheckpointsUnavailable';
}

export const NO_CONTAINERS =
  'There are no checkpoints, because the workspace is a container. Checkpoints require the host driver.';

const refuse = (message: string) => () => Promise.reject(new CheckpointsUnavailable(message));

/** For workspaces whose driver has no checkpoints. */
export function noCheckpoints(message: string): HostedCheckpoints {
  const no = refuse(message);
  return { save: no, diff: no, conflicts: no, restore: no, prune: no };
}
