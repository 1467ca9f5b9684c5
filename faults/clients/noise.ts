import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Corpus } from '../../bench/search/corpus.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { NoiseProcessOptions } from './noise-process.ts';

const PROGRAM = join(import.meta.dirname, 'noise-process.ts');

/**
 * A noisy member and their flooding provider, in another process. Both stand for other machines, so while they make noise,
 * they get only CPU time that nothing else needs. A low priority is not enough: a running thread of low priority delays
 * threads that wake up.
 */
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
    const [url] = (await once(child, 'message')) as [string];
    const modelConfigId = await deployment.addModel(url, { isDefault: false });
    await schedule(child, '--idle');
    child.send(modelConfigId);
    return new Noise(child);
  }

  private constructor(child: ChildProcess) {
    this.#process = child;
  }

  /** Responses by request and status, such as `search 429`. */
  async stop(): Promise<ReadonlyMap<string, number>> {
    await schedule(this.#process, '--other');
    this.#process.send('stop');
    const [responses] = (await once(this.#process, 'message')) as [[string, number][]];
    return new Map(responses);
  }
}

const schedule = ({ pid = 0 }: ChildProcess, policy: '--idle' | '--other') =>
  promisify(execFile)('chrt', ['--all-tasks', policy, '--pid', '0', String(pid)]);
