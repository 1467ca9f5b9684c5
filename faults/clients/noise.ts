import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { Corpus } from '../../bench/search/corpus.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { NoiseProcessOptions } from './noise-process.ts';

const PROGRAM = join(import.meta.dirname, 'noise-process.ts');

/** A noisy member and their flooding provider, in a process of low priority: both stand for other machines. */
export class Noise {
  readonly #process: ChildProcess;

  static async start(
    deployment: Deployment,
    { token, intensity }: Pick<NoiseProcessOptions, 'token' | 'intensity'>,
  ): Promise<Noise> {
    const words = new Corpus().words.slice(0, 20);
    const options: NoiseProcessOptions = { urls: deployment.urls, token, words, intensity };
    const child = fork(PROGRAM, [JSON.stringify(options)], {
      execArgv: ['--conditions=chatd-source'],
    });
    // Before it starts threads, which inherit the priority.
    setPriority(child.pid ?? 0, constants.priority.PRIORITY_LOW);
    const [url] = (await once(child, 'message')) as [string];
    child.send(await deployment.addModel(url, { isDefault: false }));
    return new Noise(child);
  }

  private constructor(child: ChildProcess) {
    this.#process = child;
  }

  /** Responses by request and status, such as `search 429`. */
  async stop(): Promise<ReadonlyMap<string, number>> {
    this.#process.send('stop');
    const [responses] = (await once(this.#process, 'message')) as [[string, number][]];
    return new Map(responses);
  }
}
