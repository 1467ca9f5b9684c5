import { commitTable } from '../scaling/table.ts';
import { formatNumber, markdownTable, overRounds, range, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface StoreData {
  readonly rounds: number;
  readonly seconds: number;
  readonly rows: readonly StoreRow[];
}

interface StoreRow {
  readonly server: string;
  readonly concurrency: number;
  readonly what: string;
  readonly perSecond: number;
  /** Relative to the bare transaction in the same rounds. */
  readonly ratio: number;
}

export const storeReport = defineReport<StoreData>({
  result: 'store',
  command: 'npm run bench:store -- --keep',
  render(result) {
    const { rows, rounds, seconds } = result.data;
    const ratios = (what: string) =>
      range(
        rows.filter((row) => row.what.startsWith(what)).map(({ ratio }) => ratio),
        2,
      );
    const concurrencies = [...new Set(rows.map(({ concurrency }) => concurrency))];
    const kinds = Map.groupBy(rows, ({ server, what }) => `${server} | ${what}`);
    const table = markdownTable(
      ['PostgreSQL', 'operation', ...concurrencies.map((count) => `> concurrency ${count}`)],
      [...kinds].map(([kind, ofKind]) => [kind, ...ofKind.map(cell)]),
    );
    const note = `Transitions per second, with the ratio to the bare transaction in parentheses; ${overRounds(rounds)} of ${seconds} s.`;
    return {
      blocks: {
        'scaling-commits': withProvenance(result, commitTable(result.data)),
        store: withProvenance(result, table, note),
      },
      figures: {
        commitStep: ratios('commit step'),
        turn: ratios('turn'),
        send: ratios('send'),
      },
    };
  },
});

function cell({ perSecond, ratio, what }: StoreRow): string {
  const bare = what.startsWith('bare');
  return `${formatNumber(perSecond)}${bare ? '' : ` (${formatNumber(ratio, 2)})`}`;
}
