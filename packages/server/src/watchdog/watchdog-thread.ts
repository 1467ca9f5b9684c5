import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { Watched } from './watchdog.ts';

/*
 * Checks that the event loop of the process is running. Counts its own checks instead of reading a clock: if the whole
 * process was frozen, this thread has missed as much time as the event loop.
 */
const { beats, pollMs, polls } = workerData as Watched;
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
let last = Atomics.load(beats, 0);
let missed = 0;
while (missed < polls) {
  Atomics.wait(never, 0, 0, pollMs);
  const now = Atomics.load(beats, 0);
  missed = now === last ? missed + 1 : 0;
  last = now;
}
const seconds = Math.round((pollMs * polls) / 1000);
try {
  writeSync(2, `chatd: the event loop was blocked for ${seconds} s. Exiting.\n`);
} finally {
  process.kill(process.pid, 'SIGKILL');
}
