import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface WebData {
  readonly rows: readonly WebRow[];
  readonly slowdown: number;
  readonly deltasASecond: number;
  /** Compressed JavaScript. */
  readonly firstLoadKb: number;
}

export interface WebRow {
  readonly messages: number;
  readonly firstOpenMs: number;
  readonly openAgainMs: number;
  readonly frameP50Ms: number;
  readonly frameP95Ms: number;
  readonly frameMaxMs: number;
  readonly longestTaskMs: number;
  readonly longTasks: number;
  readonly earlyDeltaMs: number;
  readonly lateDeltaMs: number;
}

export const webReport = defineReport<WebData>({
  result: 'web',
  command: 'npm run bench:web -- --keep',
  render(result) {
    const { rows, slowdown, firstLoadKb } = result.data;
    const table = markdownTable(
      [
        '> messages',
        '> open, ms (first / again)',
        '> script per frame while scrolling, ms (p50 / p95 / max)',
        `> longest task at ${slowdown} × slowdown, ms (tasks over 50 ms)`,
        '> script per delta, ms (start / after 600 KB)',
      ],
      rows.map((row) => [
        formatNumber(row.messages),
        `${formatNumber(row.firstOpenMs)} / ${formatNumber(row.openAgainMs)}`,
        [row.frameP50Ms, row.frameP95Ms, row.frameMaxMs]
          .map((value) => formatNumber(value, 1))
          .join(' / '),
        `${formatNumber(row.longestTaskMs)} (${row.longTasks})`,
        `${formatNumber(row.earlyDeltaMs, 2)} / ${formatNumber(row.lateDeltaMs, 2)}`,
      ]),
    );
    const firstLoad = formatNumber(firstLoadKb);
    const note = `First load: ${firstLoad} KB of JavaScript, compressed with gzip.`;
    const [short, long] = [rows[0], rows.at(-1)];
    const most = (pick: (row: WebRow) => number) => Math.max(...rows.map(pick));
    return {
      blocks: { web: withProvenance(result, table, note) },
      figures: {
        firstLoadKb: firstLoad,
        longChat: formatNumber(long?.messages),
        shortChat: formatNumber(short?.messages),
        longOpensMs: formatNumber(long?.openAgainMs),
        shortOpensMs: formatNumber(short?.openAgainMs),
        frameP95Ms: formatNumber(
          most(({ frameP95Ms }) => frameP95Ms),
          1,
        ),
        frameMaxMs: formatNumber(
          most(({ frameMaxMs }) => frameMaxMs),
          1,
        ),
        deltaMs: formatNumber(
          most((row) => Math.max(row.earlyDeltaMs, row.lateDeltaMs)),
          1,
        ),
        longestTaskMs: formatNumber(most(({ longestTaskMs }) => longestTaskMs)),
      },
    };
  },
});
