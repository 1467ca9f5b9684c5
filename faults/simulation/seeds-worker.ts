import { parentPort, workerData } from 'node:worker_threads';
import { mutate } from './mutate.ts';

/* A thread that simulates seeds, one after the other. */

const { mutation } = workerData as { readonly mutation: string | undefined };
if (mutation !== undefined) mutate(mutation);
const { runSeed } = await import('./run-seed.ts');

// Errors are part of many simulated events, and their stacks are not looked at.
Error.stackTraceLimit = 0;

parentPort?.on('message', (seed: number) => {
  void runSeed(seed).then((result) => parentPort?.postMessage(result));
});
