import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { ROOT } from './checks.ts';
import { RunningFiles } from './running-files.ts';

const EVERY_MS = 60_000;
const RUNNING = process.env['CHATD_TEST_RUNNING'];

/**
 * Without a terminal, prints the tests that have been running for minutes. For `npm test`, keeps the running tests in a
 * file, which names them when the run crashes.
 */
export default class ProgressReporter implements Reporter {
  readonly #files = new RunningFiles();
  #timer: NodeJS.Timeout | undefined;

  onTestRunStart(): void {
    if (process.stdout.isTTY) return;
    this.#timer = setInterval(() => {
      for (const line of this.#files.lines(performance.now())) console.log(line);
    }, EVERY_MS).unref();
  }

  onTestModuleQueued(module: TestModule): void {
    this.#files.began(nameOf(module), performance.now());
  }

  onTestCaseReady(test: TestCase): void {
    this.#files.at(nameOf(test.module), test.fullName, performance.now());
    if (RUNNING !== undefined) writeFileSync(RUNNING, this.#report());
  }

  onTestCaseResult(test: TestCase): void {
    this.#files.began(nameOf(test.module), performance.now());
  }

  onTestModuleEnd(module: TestModule): void {
    this.#files.ended(nameOf(module));
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  #report(): string {
    const megabytes = Math.round(process.memoryUsage().heapUsed / 1_000_000);
    return `Running, with a heap of ${megabytes} MB:\n${this.#files.all().join('\n')}\n`;
  }
}

const nameOf = (module: TestModule) => relative(ROOT, module.moduleId);
