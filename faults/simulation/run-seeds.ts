import { Worker } from 'node:worker_threads';
import type { SeedResult } from './run-seed.ts';

const THREAD = new URL('./seeds-worker.ts', import.meta.url);
/** Most objects live for a few events only. */
const YOUNG_GENERATION_MB = 96;

export interface SeedsOptions {
  /** Threads. */
  readonly jobs: number;
  /** A defect of the program, by its name in `mutations.ts`. */
  readonly mutation?: string;
  readonly onFailed?: (seed: number, result: SeedResult) => void;
  /** Called after each seed with the number of finished ones. */
  readonly onProgress?: (finished: number) => void;
  /** Ends the simulation after the current seeds. */
  readonly signal?: AbortSignal;
}

/** Simulates seeds in several threads. The results are in the order of the seeds. */
export async function runSeeds(
  seeds: readonly number[],
  { jobs, mutation, onFailed, onProgress, signal }: SeedsOptions,
): Promise<SeedResult[]> {
  const results = new Map<number, SeedResult>();
  const left = seeds.values();
  const threads = Array.from({ length: Math.min(jobs, seeds.length) }, async () => {
    const worker = new Worker(THREAD, {
      workerData: { mutation },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    try {
      for (const seed of left) {
        const result = await simulateIn(worker, seed);
        results.set(seed, result);
        if (result.problems.length > 0) onFailed?.(seed, result);
        onProgress?.(results.size);
        if (signal?.aborted === true) break;
      }
    } finally {
      await worker.terminate();
    }
  });
  await Promise.all(threads);
  return seeds.flatMap((seed) => results.get(seed) ?? []);
}

const simulateIn = (worker: Worker, seed: number): Promise<SeedResult> =>
  new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (result: SeedResult) => {
      worker.off('error', reject);
      resolve(result);
    });
    worker.postMessage(seed);
  });
