import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface QuickstartData {
  /** The version that was there before. */
  readonly node: string;
  /** By what they were spent on, in order. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly total: number;
}

export const quickstartReport = defineReport<QuickstartData>({
  result: 'quickstart',
  command: 'npm run quickstart -- --keep',
  render(result) {
    const { node, seconds, total } = result.data;
    const rows = Object.entries({ ...seconds, 'in all': total });
    const table = markdownTable(
      ['what', '> seconds'],
      rows.map(([what, one]) => [what, formatNumber(one, 1)]),
    );
    return {
      blocks: {
        quickstart: withProvenance(
          result,
          `${table}\n\nNode ${node} was there before; the cache of npm was empty.`,
        ),
      },
      figures: { seconds: formatNumber(Math.round(total)) },
    };
  },
});
