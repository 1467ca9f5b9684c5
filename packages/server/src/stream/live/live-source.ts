import type { PartBuffer } from './part-buffer.ts';

export interface LiveSourceListener {
  /** The buffer was replaced or has more parts. Never called from within `ownedBy`. */
  changed(): void;
  /** The chat may have another owner. */
  doubted(): void;
}

/** The live parts of one chat, from this process or from the replica that runs the chat. */
export interface LiveSource {
  /** Null: none. Undefined: not known yet. */
  readonly buffer: PartBuffer | null | undefined;
  /** The worker that runs the chat, according to the database. */
  ownedBy(workerId: string | null): void;
  close(): void;
}
