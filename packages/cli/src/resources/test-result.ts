import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../output/listing.ts';
import { duration } from '../output/quantities.ts';
import { terminalText } from '../output/terminal-text.ts';

interface TestResult {
  readonly ok: boolean;
  readonly message: string;
  readonly latency_ms: number;
}

/** Prints the result of a connection test, and returns the exit code for it. */
export function printTest(context: Context, result: TestResult, json: boolean | undefined): number {
  if (json === true) printJson(context, result);
  else {
    const mark = result.ok ? context.style('green', '✓') : context.style('red', '✗');
    context.print(`${mark} ${terminalText(result.message)} (${duration(result.latency_ms)})\n`);
  }
  return result.ok ? EXIT.ok : EXIT.failed;
}
