import { writeFileSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';
import { summaryLine } from './summary.ts';
import type { TestCounts } from './summary.ts';

/** Prints one summary line, or writes the counts to a file for `npm test`, which adds up several runs. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts = countTests(modules, unhandledErrors.length);
    const file = process.env['CHATD_TEST_SUMMARY'];
    if (file === undefined) console.log(summaryLine(counts));
    else writeFileSync(file, JSON.stringify(counts));
  }
}

/** Files that fail to load and errors outside of tests count as failures. */
function countTests(modules: readonly TestModule[], unhandled: number): TestCounts {
  const counts = { passed: 0, failed: unhandled, skipped: 0 };
  for (const module of modules) {
    let failedTests = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') counts.passed += 1;
      else if (state === 'failed') failedTests += 1;
      else counts.skipped += 1;
    }
    counts.failed += failedTests;
    if (failedTests === 0 && module.state() === 'failed') counts.failed += 1;
  }
  return counts;
}
