export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

export function addCounts(a: TestCounts, b: TestCounts): TestCounts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}

export function summaryLine({ passed, failed, skipped }: TestCounts): string {
  const line = `tests: ${passed} passed, ${failed} failed`;
  return skipped === 0 ? line : `${line}, ${skipped} skipped`;
}

/** Parses the summary file of a test run. */
export function parseCounts(text: string): TestCounts {
  const parsed: unknown = JSON.parse(text);
  if (!isCounts(parsed)) throw new Error(`Invalid test counts: ${text}`);
  return parsed;
}

function isCounts(value: unknown): value is TestCounts {
  if (typeof value !== 'object' || value === null) return false;
  return ['passed', 'failed', 'skipped'].every((key) => key in value);
}
