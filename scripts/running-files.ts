interface RunningFile {
  /** Undefined while the file loads and in hooks. */
  readonly test: string | undefined;
  readonly since: number;
}

const MINUTE_MS = 60_000;

/** The running test files with their current tests. */
export class RunningFiles {
  readonly #files = new Map<string, RunningFile>();

  began(file: string, now: number): void {
    this.#files.set(file, { test: undefined, since: now });
  }

  at(file: string, test: string, now: number): void {
    this.#files.set(file, { test, since: now });
  }

  ended(file: string): void {
    this.#files.delete(file);
  }

  /** One line per file. */
  all(): string[] {
    return [...this.#files].map(([file, { test }]) => `- ${file}: ${test ?? 'setup'}`);
  }

  /** One line per file whose current test has been running for at least a minute. */
  lines(now: number): string[] {
    return [...this.#files]
      .filter(([, { since }]) => now - since >= MINUTE_MS)
      .map(([file, { test, since }]) => {
        const minutes = Math.floor((now - since) / MINUTE_MS);
        return `… ${file}, for ${minutes} min: ${test ?? 'setup'}`;
      });
  }
}
