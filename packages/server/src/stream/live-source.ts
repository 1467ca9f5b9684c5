import type { PartBuffer } from './part-buffer.ts';

export interface LiveSourceListener {
  /** The buffer is another one, or holds more. Never called from within `ownedBy`. */
  changed(): void;
  /** The chat may have another owner than we were told. */
  doubted(): void;
}

/** Where the live parts of one chat come from: this process, or the one that runs the chat. */
export interface LiveSource {
  /** Null: there are none. Undefined: not known yet. */
  readonly buffer: PartBuffer | null | undefined;
  /** Who runs the chat, as the database says. */
  ownedBy(workerId: string | null): void;
  close(): void;
}
