import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface QuickstartData {
  /** The preinstalled version. */
  readonly node: string;
  /** By stage, in order. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly total: number;
}

export const quickstartReport = defineReport<QuickstartData>({
  result: 'quickstart',
  command: 'npm run quickstart -- --keep',
  render(result) {
    const { node, seconds, total } = result.data;
    const rows = Object.entries({ ...seconds, total });
    const table = markdownTable(
      ['stage', '> seconds'],
      rows.map(([what, one]) => [what, formatNumber(one, 1)]),
    );
    return {
      blocks: {
        quickstart: withProvenance(
          result,
          `${table}\n\nNode ${node} preinstalled; empty npm cache.`,
        ),
      },
      figures: { seconds: formatNumber(Math.round(total)) },
    };
  },
});
