import { lineChart } from './chart.ts';
import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface LoadData {
  readonly chats: number;
  readonly viewers: number;
  /** Deltas per second and chat. */
  readonly rate: number;
  readonly seconds: number;
  /** Other chats in the database. */
  readonly stored: number;
  readonly bus: string;
  /** From the provider's write to the viewer's read. */
  readonly delays: readonly (Delays & { readonly where: string })[];
  readonly parts: readonly { readonly name: string; readonly cores: number; readonly mb: number }[];
  /** Total of both replicas, sampled every second. */
  readonly memoryMb: readonly number[];
  readonly expected: number;
  readonly seen: number;
  /** Of these, deltas that arrived with the committed message instead of live. */
  readonly committed: number;
  readonly finished: number;
}

interface Delays {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export const loadReport = defineReport<LoadData>({
  result: 'load',
  command: 'npm run load -- --keep',
  render(result) {
    const { data } = result;
    const delays = markdownTable(
      ['viewers on', '> deltas', '> p50 ms', '> p99 ms', '> max ms'],
      data.delays.map(({ where, count, p50, p99, max }) => [
        where,
        formatNumber(count),
        ...[p50, p99, max].map((value) => formatNumber(value, 1)),
      ]),
    );
    const parts = markdownTable(
      ['', '> cores', '> MB'],
      data.parts.map(({ name, cores, mb }) => [
        name,
        formatNumber(cores, 2),
        // PostgreSQL backends share most of their memory, so the sum is meaningless.
        name === 'postgres' ? '–' : formatNumber(mb),
      ]),
    );
    const note = `Received: ${formatNumber(data.seen)} of ${formatNumber(data.expected)} deltas, ${formatNumber(data.committed)} of them only with the committed message; ${formatNumber(data.finished)} of ${formatNumber(data.viewers)} viewers received the end of the turn.`;
    const [near, far] = data.delays;
    return {
      blocks: { load: withProvenance(result, delays, parts, note) },
      figures: {
        nearP50: formatNumber(near?.p50, 1),
        nearP99: formatNumber(near?.p99, 1),
        farP50: formatNumber(far?.p50, 1),
        farP99: formatNumber(far?.p99, 1),
        viewers: formatNumber(data.viewers),
        chats: formatNumber(data.chats),
        rate: formatNumber(data.rate),
        stored: formatNumber(data.stored),
        replicaCores: formatNumber(data.parts.find(({ name }) => name === 'replicas')?.cores, 2),
      },
      charts: { 'load-memory.svg': memoryChart(data) },
    };
  },
});

function memoryChart({ memoryMb, viewers, chats }: LoadData): string {
  const last = formatNumber(memoryMb.at(-1));
  return lineChart({
    title: `Memory of two replicas with ${formatNumber(viewers)} viewers`,
    description: `Resident memory of both replicas while ${formatNumber(chats)} chats stream: ${last} MB at the end.`,
    x: 'seconds',
    y: 'RSS, MB (total)',
    series: [{ name: 'replicas', points: memoryMb.map((mb, at) => [at, mb] as const) }],
  });
}
