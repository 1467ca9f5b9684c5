interface RunningFile {
  /** Undefined while it loads, and in hooks around all of its tests. */
  readonly test: string | undefined;
  readonly since: number;
}

const MINUTE_MS = 60_000;

/** The test files that run at the moment, and what each of them is at. */
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

  /** One line for each that has been at the same thing for a minute or more. */
  lines(now: number): string[] {
    return [...this.#files]
      .filter(([, { since }]) => now - since >= MINUTE_MS)
      .map(([file, { test, since }]) => {
        const minutes = Math.floor((now - since) / MINUTE_MS);
        return `… ${file}, for ${minutes} min: ${test ?? 'what its tests need'}`;
      });
  }
}
