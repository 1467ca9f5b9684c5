import { type Clock, sleep } from '@chatd/loop';
import type { ScriptPiece, Script } from './script.ts';
import { words } from './words.ts';

/** `readable` is for people; `instant` pauses only in scripts with a duration. */
export type Pace = 'readable' | 'instant';

const BEFORE_MS = 250;
const BETWEEN_MS = 45;

interface Pauses {
  /** Before the first word. */
  start(): Promise<void>;
  /** After each delta of a piece. */
  between(piece: ScriptPiece): Promise<void>;
}

export function pauses(
  script: Script,
  { clock, pace, signal }: { clock: Clock; pace: Pace; signal: AbortSignal },
): Pauses {
  const readable = pace === 'readable';
  const wait = async (ms: number) => {
    if (ms > 0) await sleep(clock, ms, signal);
  };
  const said = script.pieces.filter((piece) => piece.type === 'say');
  const deltas = said.reduce((sum, piece) => sum + words(piece.text, 2).length, 0);
  const slowly = script.lastsMs === undefined ? undefined : script.lastsMs / Math.max(1, deltas);
  return {
    start: () => wait(readable ? BEFORE_MS : 0),
    between: (piece) => {
      if (slowly !== undefined && piece.type === 'say') return wait(slowly);
      return wait(readable ? BETWEEN_MS : 0);
    },
  };
}
