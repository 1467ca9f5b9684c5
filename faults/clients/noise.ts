import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Corpus } from '../../bench/search/corpus.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { NoiseThreadData } from './noise-thread.ts';

/** A noisy member and their flooding provider, in a separate thread. */
export class Noise {
  readonly #thread: Worker;

  static async start(
    deployment: Deployment,
    { token, intensity }: Pick<NoiseThreadData, 'token' | 'intensity'>,
  ): Promise<Noise> {
    const words = new Corpus().words.slice(0, 20);
    const workerData: NoiseThreadData = { urls: deployment.urls, token, words, intensity };
    const thread = new Worker(new URL('noise-thread.ts', import.meta.url), { workerData });
    const [url] = (await once(thread, 'message')) as [string];
    thread.postMessage(await deployment.addModel(url, { isDefault: false }));
    return new Noise(thread);
  }

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  /** Responses by request and status, such as `search 429`. */
  async stop(): Promise<ReadonlyMap<string, number>> {
    this.#thread.postMessage('stop');
    const [responses] = (await once(this.#thread, 'message')) as [Map<string, number>];
    return responses;
  }
}
