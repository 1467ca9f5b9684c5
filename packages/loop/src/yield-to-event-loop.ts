/*
 * Model streams are read in promise chains, and promise callbacks run before timers: two hundred streams that arrive
 * together would starve every timer of the process. Stream readers therefore yield when `isLate()` says so.
 * The time slice is CPU time of the process, so it is measured with `performance.now()` and not with the turn's clock.
 */

/** The longest time to work within one iteration of the event loop. */
const SLICE_MS = 8;

const waiting: (() => void)[] = [];
let first = 0;
let iterationStart: number | undefined;

const endIteration = () => {
  iterationStart = undefined;
};

/** Whether the current iteration of the event loop has used up its time slice. */
export function isLate(): boolean {
  const now = performance.now();
  if (iterationStart === undefined) {
    iterationStart = now;
    setImmediate(endIteration);
  }
  return now - iterationStart > SLICE_MS;
}

/** Lets timers and sockets run first. Each iteration of the event loop resumes one waiting caller, in order. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length - first === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  const resume = waiting[first];
  first += 1;
  resume?.();
  if (first < waiting.length) {
    setImmediate(resumeOne);
    return;
  }
  waiting.length = 0;
  first = 0;
}
