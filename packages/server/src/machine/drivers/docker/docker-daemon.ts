import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Shorter than a server waits for the capabilities of a machine. */
const TIMEOUT_MS = 2000;
const MAX_AGE_MS = 30_000;

/** The version of the daemon. Fails with `ENOENT` if Docker is not installed. */
export async function dockerVersion(program = 'docker'): Promise<string> {
  const version = ['version', '--format', '{{.Server.Version}}'];
  const { stdout } = await promisify(execFile)(program, version, { timeout: TIMEOUT_MS });
  return stdout.trim();
}

/** Whether the daemon answers. Asks it at most every 30 seconds. */
export class DockerDaemon {
  readonly #program: string;
  #asked: { readonly at: number; readonly answer: Promise<boolean> } | undefined;

  constructor(program = 'docker') {
    this.#program = program;
  }

  isAvailable(): Promise<boolean> {
    const at = performance.now();
    if (this.#asked === undefined || at - this.#asked.at > MAX_AGE_MS) {
      const answer = dockerVersion(this.#program).then(
        () => true,
        () => false,
      );
      this.#asked = { at, answer };
    }
    return this.#asked.answer;
  }
}
