import type { Clock } from '@chatd/loop';
import { words } from './perform.ts';
import type { Piece, Script } from './script.ts';

/** `readable` is for people; `instant` waits only where a script is meant to last. */
export type Pace = 'readable' | 'instant';

const BEFORE_MS = 250;
const BETWEEN_MS = 45;

interface Pauses {
  /** Before the first word. */
  start(): Promise<void>;
  /** After each delta of a piece. */
  between(piece: Piece): Promise<void>;
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

/** Ends with the signal's reason at once when that comes first. */
function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal.aborted) {
    reject(signal.reason);
    return promise;
  }
  const stop = () => {
    cancel();
    reject(signal.reason);
  };
  const cancel = clock.after(ms, () => {
    signal.removeEventListener('abort', stop);
    resolve();
  });
  signal.addEventListener('abort', stop, { once: true });
  return promise;
}
