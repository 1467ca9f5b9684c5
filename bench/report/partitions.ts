import { formatNumber, markdownTable, overRounds, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';
import type { Result } from './result.ts';
import { median } from './statistics.ts';

/** Medians of rounds. */
export interface Operation {
  readonly what: string;
  readonly perSecond: number;
  /** CPU time of PostgreSQL per operation. */
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly walBytes: number;
}

export interface LayoutResult {
  /** 1: not partitioned. */
  readonly partitions: number;
  /** Rows per second while each tenth of the rows was inserted. */
  readonly fillPerSecond: readonly number[];
  readonly tableBytes: number;
  readonly indexBytes: number;
  /** Of the messages of the oldest tenth of all chats. */
  readonly deleteSeconds: number;
  /** Of all partitions, one after the other. */
  readonly vacuumSeconds: number;
  readonly longestSeconds: number;
  readonly operations: readonly Operation[];
}

export interface PartitionsData {
  readonly rows: number;
  readonly chats: number;
  readonly clients: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly layouts: readonly LayoutResult[];
}

const operationOf = ({ operations }: LayoutResult, what: string) =>
  operations.find((one) => one.what === what);

const slowdownOf = ({ fillPerSecond }: LayoutResult) => {
  const [first, last] = [fillPerSecond[0], fillPerSecond.at(-1)];
  return first === undefined || last === undefined ? undefined : last / first;
};

export const partitionsReport = defineReport<PartitionsData>({
  result: 'partitions',
  command: 'npm run bench:partitions -- --keep',
  render(result) {
    const { layouts } = result.data;
    const [none, most] = [layouts[0], layouts.at(-1)];
    const ratio = (most?.deleteSeconds ?? Number.NaN) / (none?.deleteSeconds ?? Number.NaN);
    return {
      blocks: { partitions: render(result) },
      figures: { deletionRatio: formatNumber(ratio) },
    };
  },
});

function render(result: Result<PartitionsData>): string {
  const { layouts, rows, chats, clients, rounds, seconds } = result.data;
  const kinds = layouts[0]?.operations.map(({ what }) => what) ?? [];
  const row = (name: string, digits: number, of: (layout: LayoutResult) => number | undefined) => [
    name,
    ...layouts.map((layout) => formatNumber(of(layout), digits)),
  ];
  const table = markdownTable(
    [
      `${formatNumber(rows)} messages`,
      ...layouts.map(({ partitions }) =>
        partitions === 1 ? '> no partitions' : `> ${partitions} partitions`,
      ),
    ],
    [
      ...kinds.flatMap((what) => [
        row(`${what}: per second`, 0, (layout) => operationOf(layout, what)?.perSecond),
        row('… p50, ms', 2, (layout) => operationOf(layout, what)?.p50Ms),
        row('… p99, ms', 1, (layout) => operationOf(layout, what)?.p99Ms),
        row('… CPU of PostgreSQL, ms', 3, (layout) => operationOf(layout, what)?.cpuMs),
        ...(what.startsWith('insert')
          ? [row('… WAL, bytes', 0, (layout) => operationOf(layout, what)?.walBytes)]
          : []),
      ]),
      row('bulk insert, rows per second', 0, ({ fillPerSecond }) => median(fillPerSecond)),
      row('… last tenth ÷ first tenth', 2, slowdownOf),
      row('table, GB', 2, ({ tableBytes }) => tableBytes / 1e9),
      row('primary key, MB', 0, ({ indexBytes }) => indexBytes / 1e6),
      row('delete a tenth of the chats, s', 1, ({ deleteSeconds }) => deleteSeconds),
      row('VACUUM afterwards, all partitions, s', 1, ({ vacuumSeconds }) => vacuumSeconds),
      row('… the longest one, s', 1, ({ longestSeconds }) => longestSeconds),
    ],
  );
  const note = `${formatNumber(rows)} messages of ${formatNumber(chats)} chats; ${clients} clients; ${overRounds(rounds)} of ${seconds} s, in which the layouts alternate.`;
  return withProvenance(result, table, note);
}
