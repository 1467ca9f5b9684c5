import { url as inspectorUrl } from 'node:inspector';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface Watched {
  /** The first element grows while the event loop runs. */
  readonly beats: Int32Array<SharedArrayBuffer>;
  readonly pollMs: number;
  /** Number of checks without progress after which the process is killed. */
  readonly polls: number;
}

const POLLS = 10;

/**
 * Ends this process when its event loop is blocked for longer than `limitMs`: other replicas have taken over its chats
 * by then. Disabled while a debugger is attached. Returns a function that stops it.
 */
export function startWatchdog(limitMs: number): () => Promise<void> {
  if (inspectorUrl() !== undefined) return () => Promise.resolve();
  const pollMs = limitMs / POLLS;
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const watched: Watched = { beats, pollMs, polls: POLLS };
  // `.ts` when run from sources, `.js` in a build.
  const program = new URL(`./watchdog-thread${extname(import.meta.filename)}`, import.meta.url);
  const thread = new Worker(program, { workerData: watched });
  thread.unref();
  const timer = setInterval(() => Atomics.add(beats, 0, 1), pollMs / 2).unref();
  return async () => {
    clearInterval(timer);
    await thread.terminate();
  };
}
