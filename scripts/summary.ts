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
