import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

/** A run of all benchmarks, one after the other. */
export interface RunData {
  readonly commit: string;
  readonly benchmarks: readonly BenchmarkRun[];
}

export interface BenchmarkRun {
  readonly name: string;
  readonly minutes: number;
  /** Share of the machine that other programs and the host of a virtual machine used just before. */
  readonly othersBefore: number;
}

export const runReport = defineReport<RunData>({
  result: 'run',
  command: 'npm run bench -- --keep',
  render(result) {
    const { benchmarks, commit } = result.data;
    const minutes = benchmarks.reduce((sum, benchmark) => sum + benchmark.minutes, 0);
    const most = Math.max(...benchmarks.map(({ othersBefore }) => othersBefore));
    const intro = `The last complete run took ${formatNumber(minutes)} minutes at commit ${commit}. Before each benchmark, other programs and the host of the virtual machine used at most ${formatNumber(100 * most)} % of the cores.`;
    const table = markdownTable(
      ['benchmark', '> minutes', '> used by others before, %'],
      benchmarks.map((benchmark) => [
        benchmark.name,
        formatNumber(benchmark.minutes, 1),
        formatNumber(100 * benchmark.othersBefore, 1),
      ]),
    );
    return { blocks: { run: withProvenance(result, intro, table) } };
  },
});
