import type { SoakResult } from '../../faults/soak/result.ts';
import { lineChart } from './chart.ts';
import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

type Column = readonly (number | null)[];
type Points = readonly (readonly [number, number])[];

const BUS = { postgres: 'PostgreSQL', nats: 'NATS' };
const TRENDS = {
  rssMb: ['RSS', 'MB'],
  heapMb: ['heap used', 'MB'],
  handles: ['open handles', ''],
} as const;

export const soakReport = defineReport<SoakResult>({
  result: 'soak',
  command: 'npm run soak -- --keep',
  render(result) {
    const { data } = result;
    const { counts, trends, database, turns } = data;
    const grown = (last(database.sizeMb) - first(database.sizeMb)) * 1024;
    const written = (last(database.walMb) - first(database.walMb)) * 1024;
    const answered = Math.max(1, last(turns));
    return {
      blocks: {
        soak: withProvenance(result, opening(data), countTable(counts), trendTable(trends)),
      },
      figures: {
        minutes: formatNumber(data.minutes),
        turns: formatNumber(last(turns)),
        chats: formatNumber(counts['chats checked']),
        problems: formatNumber(data.problems),
        faults: formatNumber(data.faults.length),
        databaseKbPerTurn: formatNumber(grown / answered, 1),
        walKbPerTurn: formatNumber(written / answered, 1),
        rssPerHour: formatNumber(trends.rssMb?.perHour, 1),
        heapPerHour: formatNumber(trends.heapMb?.perHour, 1),
        handlesPerHour: formatNumber(trends.handles?.perHour, 1),
      },
      charts: {
        'soak-memory.svg': memoryChart(data),
        'soak-handles.svg': handlesChart(data),
        'soak-database.svg': databaseChart(data),
      },
    };
  },
});

function opening(data: SoakResult): string {
  const { minutes, bus, replicas, users, restartEverySeconds, crashEveryMinutes } = data;
  const crashes =
    crashEveryMinutes > 0 ? `, PostgreSQL crashed every ${crashEveryMinutes} minutes` : '';
  const verdict =
    data.problems === 0
      ? 'All checks passed.'
      : `**${formatNumber(data.problems)} checks failed.**`;
  return `${verdict} ${minutes} minutes, ${replicas.length} replicas with ${BUS[bus]} as the bus, ${users} simulated users; one replica restarted every ${restartEverySeconds} s${crashes}.`;
}

function countTable(counts: SoakResult['counts']): string {
  return markdownTable(
    ['event', '> count'],
    Object.entries(counts).map(([kind, count]) => [kind, formatNumber(count)]),
  );
}

/** Trends of the replica that is never restarted. */
function trendTable(trends: SoakResult['trends']): string {
  const names = Object.keys(TRENDS) as (keyof typeof TRENDS)[];
  const rows = names.flatMap((name) => {
    const found = trends[name];
    if (found === undefined) return [];
    const [what, unit] = TRENDS[name];
    const value = (number: number) => `${formatNumber(number, 1)} ${unit}`.trim();
    const verdict = found.leaks ? '**leaks**' : 'no leak';
    return [[what, value(found.from), value(found.to), value(found.perHour), verdict]];
  });
  if (rows.length === 0) return 'Too short to detect leaks.';
  return markdownTable(
    ['replica without restarts', '> after one third', '> at the end', '> per hour', ''],
    rows,
  );
}

/** Only database crashes are labeled; there are too many replica restarts. Faults of the machine are not shown. */
const marks = ({ faults }: SoakResult) =>
  faults
    .filter(({ what }) => !what.startsWith('machine'))
    .map(({ atMin, what }) => ({
      x: atMin,
      name: what === 'PostgreSQL crash' ? 'crash' : '',
    }));

const names = ({ replicas }: SoakResult) =>
  replicas.map((_, index) => (index === 0 ? 'no restarts' : `replica ${index}`));

function memoryChart(data: SoakResult): string {
  const [spared] = data.replicas;
  return lineChart({
    title: 'Replica memory under mixed load',
    description: `Resident memory of each replica over ${data.minutes} minutes, and the heap of the replica without restarts. Dashed lines are restarts.`,
    x: 'minutes',
    y: 'MB',
    series: [
      ...data.replicas.map(({ rssMb }, index) => ({
        name: names(data)[index] ?? '',
        points: points(data.atMin, rssMb),
      })),
      { name: 'heap, no restarts', points: points(data.atMin, spared?.heapMb ?? []) },
    ],
    marks: marks(data),
  });
}

function handlesChart(data: SoakResult): string {
  return lineChart({
    title: 'Open handles under mixed load',
    description: `Open file descriptors of each replica over ${data.minutes} minutes. Dashed lines are restarts.`,
    x: 'minutes',
    y: 'file descriptors',
    series: data.replicas.map(({ handles }, index) => ({
      name: names(data)[index] ?? '',
      points: points(data.atMin, handles),
    })),
    marks: marks(data),
  });
}

function databaseChart(data: SoakResult): string {
  return lineChart({
    title: 'Database size',
    description: `Database size over ${data.minutes} minutes with ${last(data.turns)} stored turns. Dashed lines are restarts.`,
    x: 'minutes',
    y: 'MB',
    series: [{ name: 'size', points: points(data.atMin, data.database.sizeMb) }],
    marks: marks(data),
  });
}

/** Skips samples without a value. */
const points = (atMin: Column, values: Column): Points =>
  atMin.flatMap((at, index) => {
    const value = values[index];
    return at === null || value === null || value === undefined ? [] : [[at, value] as const];
  });

const first = (values: Column): number => values.find((value) => value !== null) ?? Number.NaN;
const last = (values: Column): number => values.findLast((value) => value !== null) ?? Number.NaN;
