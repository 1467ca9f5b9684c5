import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface ToolsData {
  readonly calls: number;
  readonly rows: readonly ToolsRow[];
}

interface ToolsRow {
  readonly work: string;
  readonly by: string;
  readonly p50Ms: number;
  readonly p90Ms: number;
}

export const toolsReport = defineReport<ToolsData>({
  result: 'tools',
  command: 'npm run bench:tools -- --keep',
  render(result) {
    const { rows, calls } = result.data;
    const bare = (work: string) => rows.find((row) => row.work === work)?.p50Ms ?? Number.NaN;
    const beyond = rows.map(({ work, p50Ms }) => p50Ms - bare(work));
    const table = markdownTable(
      ['operation', 'variant', '> p50 ms', '> p90 ms', '> ÷ bare', '> overhead, p50 ms'],
      rows.map(({ work, by, p50Ms, p90Ms }, at) => [
        work,
        by,
        formatNumber(p50Ms, 2),
        formatNumber(p90Ms, 2),
        formatNumber(p50Ms / bare(work), 2),
        formatNumber(beyond[at], 2),
      ]),
    );
    const ours = rows.flatMap(({ by }, at) => (by.startsWith('tool') ? [beyond[at] ?? 0] : []));
    const perCommand = rows.findIndex(({ by }) => by === 'bare bwrap');
    return {
      blocks: { tools: withProvenance(result, table, `${formatNumber(calls)} calls per row.`) },
      figures: {
        most: formatNumber(Math.max(...ours), 1),
        bwrap: formatNumber(beyond[perCommand], 1),
      },
    };
  },
});
