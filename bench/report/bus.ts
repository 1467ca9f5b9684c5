import { busTable } from '../scaling/table.ts';
import { formatNumber, markdownTable, overRounds, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface BusData {
  readonly rounds: number;
  /** Messages per burst. */
  readonly messages: number;
  readonly pace: number;
  /** Medians over the rounds; null if not applicable. */
  readonly rows: readonly BusRow[];
}

export interface BusRow {
  readonly bus: string;
  readonly what: string;
  readonly perSecond: number;
  /** CPU time per message. */
  readonly publisherMicros: number;
  readonly receiverMicros: number | null;
  readonly brokerMicros: number | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly lost: number | null;
}

export const busReport = defineReport<BusData>({
  result: 'bus',
  command: 'npm run bench:bus -- --keep',
  render(result) {
    const { rows, rounds } = result.data;
    const table = markdownTable(
      [
        'bus',
        'load',
        '> per second',
        '> publisher µs',
        '> receiver µs',
        '> broker µs',
        '> p50 ms',
        '> p99 ms',
        '> lost',
      ],
      rows.map((row) => [
        row.bus,
        row.what,
        formatNumber(row.perSecond),
        formatNumber(row.publisherMicros, 1),
        formatNumber(row.receiverMicros, 1),
        formatNumber(row.brokerMicros, 1),
        formatNumber(row.p50Ms, 2),
        formatNumber(row.p99Ms, 2),
        formatNumber(row.lost),
      ]),
    );
    return {
      blocks: {
        'scaling-bus': withProvenance(result, busTable(result.data)),
        bus: withProvenance(result, table, `CPU per message and latency: ${overRounds(rounds)}.`),
      },
    };
  },
});
