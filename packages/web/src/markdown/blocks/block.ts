import type { Cell } from '../../state/cell.ts';

/** A top-level piece of a text, small enough to be read again whenever something is added to it. */
export interface Block {
  /** Counts up within a text. */
  readonly key: number;
  readonly kind: 'prose' | 'code' | 'math';
  /** Without the fences around it. */
  readonly text: string;
  /** More of it may come. */
  readonly open: boolean;
  /** It goes on where the block before it was cut, because it had become too long. */
  readonly joined: boolean;
  /** The code block that this is a piece of. */
  readonly fence?: Fence;
}

/** One fenced code block, however many pieces it has. */
export interface Fence {
  readonly language: string;
  /** All pieces so far; together they are what is copied. */
  readonly pieces: string[];
}

/** Blocks that are shown, measured and put away together: one row of a timeline. */
export interface BlockGroup {
  readonly key: number;
  readonly blocks: Cell<readonly Block[]>;
}
