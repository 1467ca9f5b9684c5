import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface SchedulesData {
  readonly ticks: number;
  readonly rows: readonly SchedulesRow[];
}

export interface SchedulesRow {
  /** None of them is due. */
  readonly schedules: number;
  /** Of the server and PostgreSQL together, per tick. */
  readonly cpuMs: number;
}

/** A scheduler with nothing to do asks every 15 seconds. */
const IDLE_TICKS_PER_SECOND = 1 / 15;

/** In percent of a core. */
const idle = ({ cpuMs }: SchedulesRow): number => (cpuMs / 10) * IDLE_TICKS_PER_SECOND;

export const schedulesReport = defineReport<SchedulesData>({
  result: 'schedules',
  command: 'npm run bench:schedules -- --keep',
  render(result) {
    const { ticks, rows } = result.data;
    const table = markdownTable(
      ['> schedules', '> CPU per tick, ms', '> CPU of an idle replica, % of a core'],
      rows.map((row) => [
        formatNumber(row.schedules),
        formatNumber(row.cpuMs, 2),
        formatNumber(idle(row), 4),
      ]),
    );
    const note = `Means of ${formatNumber(ticks)} ticks. CPU of the server and PostgreSQL together.`;
    const most = rows.find(({ schedules }) => schedules === 10_000);
    return {
      blocks: { schedules: withProvenance(result, table, note) },
      figures: { idleCpu: formatNumber(most && idle(most), 4) },
    };
  },
});
