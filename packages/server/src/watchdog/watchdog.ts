import { url as inspectorUrl } from 'node:inspector';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** What the thread that watches is given. */
export interface Watched {
  /** Its first element grows as long as the event loop runs. */
  readonly beats: Int32Array<SharedArrayBuffer>;
  /** Between two looks at it. */
  readonly pollMs: number;
  /** So many looks in a row without a beat end the process. */
  readonly polls: number;
}

const POLLS = 10;

/**
 * Ends this process when its event loop is blocked for longer than `limitMs`: by then others have taken its chats, and
 * nothing in the process could end it. Not while a debugger is attached. Returns what stops it.
 */
export function startWatchdog(limitMs: number): () => Promise<void> {
  if (inspectorUrl() !== undefined) return () => Promise.resolve();
  const pollMs = limitMs / POLLS;
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const watched: Watched = { beats, pollMs, polls: POLLS };
  // Sources run as they are; what is built has another ending.
  const program = new URL(`./watchdog-thread${extname(import.meta.filename)}`, import.meta.url);
  const thread = new Worker(program, { workerData: watched });
  thread.unref();
  const timer = setInterval(() => Atomics.add(beats, 0, 1), pollMs / 2).unref();
  return async () => {
    clearInterval(timer);
    await thread.terminate();
  };
}
