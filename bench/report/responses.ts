import { formatNumber, markdownTable, overRounds, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface ResponsesData {
  readonly rounds: number;
  /** Of each variant, per round. */
  readonly answers: number;
  readonly rows: readonly ResponsesRow[];
}

interface ResponsesRow {
  /** Model calls per answer. */
  readonly steps: number;
  readonly variant: string;
  /** Of the server, per answer. */
  readonly cpuMs: number;
  readonly bytes: number;
}

export const responsesReport = defineReport<ResponsesData>({
  result: 'responses',
  command: 'npm run bench:responses -- --keep',
  render(result) {
    const { rows, rounds, answers } = result.data;
    const ratioOf = ({ steps, cpuMs }: ResponsesRow) =>
      cpuMs / (rows.find((row) => row.steps === steps)?.cpuMs ?? Number.NaN);
    const table = markdownTable(
      ['steps', 'variant', '> CPU ms per answer', '> bytes per answer', '> ÷ native'],
      rows.map((row) => [
        row.steps,
        row.variant,
        formatNumber(row.cpuMs, 2),
        formatNumber(row.bytes),
        formatNumber(ratioOf(row), 2),
      ]),
    );
    const note = `${formatNumber(answers)} answers per round, ${overRounds(rounds)}.`;
    return {
      blocks: { responses: withProvenance(result, table, note) },
      figures: { most: formatNumber(Math.max(...rows.map(ratioOf)), 2) },
    };
  },
});
