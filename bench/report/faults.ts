import type { Examined } from '../../faults/oracle/examined.ts';
import { type Distribution, formatDistribution } from '../../faults/statistics.ts';
import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface FaultsData {
  readonly leaseSeconds: number;
  readonly rows: readonly FaultResult[];
}

/** The stored result of a fault on a bus. */
export interface FaultResult {
  readonly fault: string;
  readonly bus: 'postgres' | 'nats';
  readonly day: string;
  /** One-minute load average at the end. */
  readonly load: number;
  readonly rounds: number;
  /** Per round. Undefined: not recorded. */
  readonly chats?: number;
  /** Duration of the row. Undefined: not recorded. */
  readonly seconds?: number;
  /** In milliseconds, by what was measured. */
  readonly times: Readonly<Record<string, Distribution>>;
  readonly figures: readonly string[];
  /** Undefined: not recorded, or the row did not get to its checks. */
  readonly counts?: FaultCounts;
  /** Number of failed checks. */
  readonly problems: number;
  /** Exceeded time limits. */
  readonly late: readonly string[];
}

export interface FaultCounts {
  readonly lost: number;
  readonly doubled: number;
  readonly stuck: number;
  readonly examined: Examined;
}

const BUSES = { postgres: 'PostgreSQL', nats: 'NATS' };

export const faultsReport = defineReport<FaultsData>({
  result: 'faults',
  command: 'npm run faults -- --rounds 20 --chats 50 --keep',
  render(result) {
    const { rows, leaseSeconds } = result.data;
    const faults = Map.groupBy(rows, ({ fault }) => fault);
    const table = markdownTable(
      [
        'fault',
        'bus',
        '> rounds × chats',
        '> lost',
        '> doubled',
        '> stuck chats',
        '> unknown calls',
        'measurements',
        'day, load',
      ],
      [...faults.values()].flatMap((ofFault) =>
        ofFault.map((row, index) => [index === 0 ? row.fault : '', ...cells(row)]),
      ),
    );
    const failed = rows.filter(({ problems }) => problems > 0).length;
    const late = rows.filter((row) => row.late.length > 0).length;
    const verdict = failed === 0 ? 'All checks passed.' : `**${failed} rows failed.**`;
    const slow = late === 0 ? '' : ` ${late} exceeded a time limit, marked with ⏱.`;
    const note = `${verdict}${slow} Lease: ${leaseSeconds} s.`;
    return { blocks: { faults: withProvenance(result, note, table) } };
  },
});

function cells(row: FaultResult): string[] {
  const { bus, rounds, chats, day, load, times, figures, problems, late, counts } = row;
  const measurements = [
    ...(problems > 0 ? [`**${problems} checks failed**`] : []),
    ...Object.entries(times).map(([what, spread]) => `${what} ${formatDistribution(spread)}`),
    ...figures,
  ];
  return [
    BUSES[bus],
    `${formatNumber(rounds)} × ${formatNumber(chats)}`,
    ...countCells(counts),
    `${measurements.join('; ') || '–'}${late.length > 0 ? ' ⏱' : ''}`,
    `${day}, ${load}`,
  ];
}

/** The counts, each with the number that was examined. */
function countCells(counts: FaultCounts | undefined): string[] {
  if (counts === undefined) return ['–', '–', '–', '–'];
  const { lost, doubled, stuck, examined } = counts;
  const { chats, messages, events, calls, deliveries, unknown } = examined;
  const things = messages + events + calls + deliveries;
  return [share(lost, things), share(doubled, things), share(stuck, chats), share(unknown, calls)];
}

const share = (count: number, all: number): string =>
  all === 0 && count === 0 ? '–' : `${formatNumber(count)} of ${formatNumber(all)}`;
