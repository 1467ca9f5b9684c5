import { markdownTable, withProvenance } from './markdown.ts';
import { defineReport, type Report } from './report.ts';

export interface FaultsData {
  /** Undefined: each row has its own. */
  readonly rounds?: number;
  readonly leaseSeconds: number;
  readonly rows: readonly {
    readonly fault: string;
    readonly bus: 'postgres' | 'nats';
    readonly rounds?: number;
    /** The measurement, or the reason why the row was skipped. */
    readonly figure: string;
    readonly problems: number;
    /** Checks that passed but exceeded their time limit. */
    readonly late: readonly string[];
  }[];
}

const BUSES = [
  ['postgres', 'PostgreSQL'],
  ['nats', 'NATS'],
] as const;

export const faultsReport = reportOf('faults', 'npm run faults -- --keep');

/** The rows of triggers and webhooks, which are also run for longer. */
export const triggersReport = reportOf('triggers', 'npm run faults -- triggers --rounds 30 --keep');

function reportOf(name: string, command: string): Report {
  return defineReport<FaultsData>({
    result: name,
    command,
    render(result) {
      const { rows, rounds, leaseSeconds } = result.data;
      const faults = Map.groupBy(rows, ({ fault }) => fault);
      const table = markdownTable(
        ['fault', ...BUSES.map(([, bus]) => bus)],
        [...faults].map(([fault, ofFault]) => [
          fault,
          ...BUSES.map(([bus]) => cell(ofFault.find((row) => row.bus === bus))),
        ]),
      );
      const broken = rows.filter(({ problems }) => problems > 0).length;
      const late = rows.filter(({ late: slow }) => slow.length > 0).length;
      const verdict = broken === 0 ? 'All checks passed.' : `**${broken} rows failed.**`;
      const slow = late === 0 ? '' : ` ${late} exceeded a time limit, marked with ⏱.`;
      const each = rounds === undefined ? '' : `; ${countOf(rounds)} per row`;
      const note = `${verdict}${slow} Lease: ${leaseSeconds} s${each}.`;
      return { blocks: { [name]: withProvenance(result, note, table) } };
    },
  });
}

function cell(row: FaultsData['rows'][number] | undefined): string {
  if (row === undefined) return '–';
  const broken = row.problems > 0 ? `**${row.problems} checks failed**; ` : '';
  const rounds = row.rounds === undefined ? '' : `; ${countOf(row.rounds)}`;
  return `${broken}${row.figure}${rounds}${row.late.length > 0 ? ' ⏱' : ''}`;
}

const countOf = (rounds: number): string => (rounds === 1 ? 'one round' : `${rounds} rounds`);
