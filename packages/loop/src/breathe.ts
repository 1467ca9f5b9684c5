/*
 * Streams are read in promise chains, and promises go before timers: two hundred streams that arrive at
 * once would keep every timer of the process waiting. So whoever reads one looks here in between.
 * This measures the work of the process, not the time of a turn: no passed clock could.
 */

/** So much work in one turn of the event loop is enough. */
const SLICE_MS = 8;

const waiting: (() => void)[] = [];
let first = 0;
let turnBegan: number | undefined;

const endTurn = () => {
  turnBegan = undefined;
};

/** The event loop has not turned for too long. */
export function isLate(): boolean {
  const now = performance.now();
  if (turnBegan === undefined) {
    turnBegan = now;
    setImmediate(endTurn);
  }
  return now - turnBegan > SLICE_MS;
}

/** Timers and sockets first. Of all who wait here, one goes on in each turn of the event loop. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length - first === 1) setImmediate(letOneGoOn);
  });
}

function letOneGoOn(): void {
  const goOn = waiting[first];
  first += 1;
  goOn?.();
  if (first < waiting.length) {
    setImmediate(letOneGoOn);
    return;
  }
  waiting.length = 0;
  first = 0;
}
