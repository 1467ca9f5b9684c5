import { markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface FaultsData {
  readonly rounds: number;
  readonly leaseSeconds: number;
  readonly rows: readonly {
    readonly fault: string;
    readonly bus: 'postgres' | 'nats';
    /** What was measured, in words; why not, where it was not tried. */
    readonly figure: string;
    readonly problems: number;
    /** What held, and took longer than it may. */
    readonly late: readonly string[];
  }[];
}

const BUSES = [
  ['postgres', 'PostgreSQL'],
  ['nats', 'NATS'],
] as const;

export const faultsReport = defineReport<FaultsData>({
  result: 'faults',
  command: 'npm run faults -- --keep',
  render(result) {
    const { rows, rounds, leaseSeconds } = result.data;
    const faults = Map.groupBy(rows, ({ fault }) => fault);
    const table = markdownTable(
      ['fault', ...BUSES.map(([, name]) => name)],
      [...faults].map(([fault, ofFault]) => [
        fault,
        ...BUSES.map(([bus]) => cell(ofFault.find((row) => row.bus === bus))),
      ]),
    );
    const broken = rows.filter(({ problems }) => problems > 0).length;
    const late = rows.filter(({ late: slow }) => slow.length > 0).length;
    const verdict = broken === 0 ? 'Everything held.' : `**${broken} rows did not hold.**`;
    const slow = late === 0 ? '' : ` ${late} took longer than they may, marked with ⏱.`;
    const note = `${verdict}${slow} With a lease of ${leaseSeconds} s, ${rounds === 1 ? 'one round' : `${rounds} rounds`} each.`;
    return { blocks: { faults: withProvenance(result, note, table) } };
  },
});

function cell(row: FaultsData['rows'][number] | undefined): string {
  if (row === undefined) return '–';
  const broken = row.problems > 0 ? `**${row.problems} did not hold**; ` : '';
  return `${broken}${row.figure}${row.late.length > 0 ? ' ⏱' : ''}`;
}
