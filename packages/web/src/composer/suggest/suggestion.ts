import type { ReactNode } from 'react';

export interface Suggestion {
  readonly key: string;
  readonly icon: ReactNode;
  readonly title: string;
  readonly about?: string | undefined;
  /** Replaces the typed text. */
  readonly insert?: string;
  /** Runs instead. */
  readonly run?: () => void;
}

export interface Suggestions {
  readonly list: readonly Suggestion[];
  /** Shown when there are no suggestions, or none yet. */
  readonly note?: string | undefined;
}
