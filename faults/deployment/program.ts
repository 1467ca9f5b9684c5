import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

/** A process of the deployment. It is killed when the process of the tests exits. */
export class Program {
  readonly pid: number;
  readonly ended: Promise<number | string>;
  readonly #child: ChildProcess;
  #alive = true;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    const killChild = () => child.kill('SIGKILL');
    process.once('exit', killChild);
    this.ended = once(child, 'exit').then(([code, signal]: unknown[]) => {
      process.off('exit', killChild);
      this.#alive = false;
      return (code ?? signal) as number | string;
    });
  }

  /** True for a frozen process as well. */
  get isAlive(): boolean {
    return this.#alive;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<number | string> {
    this.#child.kill('SIGTERM');
    return await this.ended;
  }

  async memoryMegabytes(): Promise<number> {
    const status = await readFile(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
  }
}

export const cleanEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CHATD_')));
