import { formatNumber, markdownTable, overRounds, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface UsageData {
  readonly rounds: number;
  readonly rows: readonly UsageRow[];
}

export interface UsageRow {
  /** Stored model calls. */
  readonly calls: number;
  readonly report: string;
  readonly dayMs: number | null;
  readonly monthMs: number;
  readonly yearMs: number | null;
  /** Time for the year divided by the time of a full table scan. */
  readonly toScan: number | null;
}

export const usageReport = defineReport<UsageData>({
  result: 'usage',
  command: 'npm run bench:usage -- --keep',
  render(result) {
    const { rows, rounds } = result.data;
    const table = markdownTable(
      ['> model calls', 'report', '> day, ms', '> month, ms', '> year, ms', '> ÷ scan'],
      rows.map((row) => [
        formatNumber(row.calls),
        row.report,
        ...[row.dayMs, row.monthMs, row.yearMs, row.toScan].map((value) => formatNumber(value, 1)),
      ]),
    );
    const spent = rows.findLast(({ report }) => report.startsWith('spend'));
    return {
      blocks: { usage: withProvenance(result, table, `Values are ${overRounds(rounds)}.`) },
      figures: { spentMs: formatNumber(spent?.monthMs, 1), calls: formatNumber(spent?.calls) },
    };
  },
});
