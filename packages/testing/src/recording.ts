import type { EventFrame } from './frame.ts';

/** A stream of a real service, framed as that service frames it. */
export interface Recording {
  kind: 'recording';
  frames: readonly EventFrame[];
}
