import type { Cell } from '../../state/cell.ts';

/** A top-level block, small enough to be parsed again on every change. */
export interface Block {
  /** Consecutive within a text. */
  readonly key: number;
  readonly kind: 'prose' | 'code' | 'math';
  /** Without the fences. */
  readonly text: string;
  /** It may still grow. */
  readonly open: boolean;
  /** It continues the previous block, which was split because of its length. */
  readonly joined: boolean;
  /** The code block that this is a piece of. */
  readonly fence?: Fence;
}

/** One fenced code block of any number of pieces. */
export interface Fence {
  readonly language: string;
  /** All pieces so far, which are copied together. */
  readonly pieces: string[];
}

/** Blocks that are rendered and measured together: one row of the timeline. */
export interface BlockGroup {
  readonly key: number;
  readonly blocks: Cell<readonly Block[]>;
}
