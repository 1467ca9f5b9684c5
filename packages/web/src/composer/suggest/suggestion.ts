import type { ReactNode } from 'react';

/** Something that is offered while one types. */
export interface Suggestion {
  readonly key: string;
  readonly icon: ReactNode;
  readonly title: string;
  readonly about?: string | undefined;
  /** What takes the place of what was typed. */
  readonly insert?: string;
  /** Or what is done instead. */
  readonly run?: () => void;
}

export interface Suggestions {
  readonly list: readonly Suggestion[];
  /** What there is to say when nothing is offered, or not yet. */
  readonly note?: string | undefined;
}
