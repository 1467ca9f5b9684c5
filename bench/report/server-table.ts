import { formatNumber, markdownTable } from './markdown.ts';
import { type Program, PROGRAMS, type ServerRow } from './server-data.ts';

type Metric = 'stepsPerSecond' | 'totalCpu' | 'firstTextP50' | 'walPerStep';

/** Those that were measured, in the order of the tables. */
export function programsIn(rows: readonly ServerRow[]): [string, Program][] {
  return Object.entries(PROGRAMS).filter(([name]) => rows.some((row) => row.name === name));
}

/** Of chatd to another in the same case; more than 1 is better for steps, less than 1 for all else. */
export function chatdTo(
  rows: readonly ServerRow[],
  other: ServerRow,
  metric: Metric,
): number | undefined {
  const ours = rows.find(
    ({ name, history, concurrency }) =>
      name === 'chatd' && history === other.history && concurrency === other.concurrency,
  )?.[metric];
  const theirs = other[metric];
  return ours === undefined || ours === null || !theirs ? undefined : ours / theirs;
}

/** One case, everybody in it, and how chatd compares. */
export function headlineTable(rows: readonly ServerRow[]): string {
  const cells = programsIn(rows).map(([name, { label, goesOn }]) => {
    const row = rows.find((row) => row.name === name);
    if (row === undefined) return [label];
    const ratio = (metric: Metric) => {
      const value = name === 'chatd' ? undefined : chatdTo(rows, row, metric);
      if (value === undefined) return '';
      const ahead = metric === 'stepsPerSecond' ? value > 1 : value < 1;
      return ahead ? `**${formatNumber(value, 2)}**` : formatNumber(value, 2);
    };
    return [
      label,
      goesOn ? 'yes' : 'no',
      formatNumber(row.stepsPerSecond),
      ratio('stepsPerSecond'),
      formatNumber(row.totalCpu, 1),
      ratio('totalCpu'),
      formatNumber(row.firstTextP50),
      ratio('firstTextP50'),
      formatNumber(row.walPerStep),
      ratio('walPerStep'),
    ];
  });
  return markdownTable(
    [
      '',
      'goes on after a crash',
      '> steps/s',
      '> chatd ÷ it',
      '> CPU s per 1,000 steps',
      '> chatd ÷ it',
      '> first text, ms',
      '> chatd ÷ it',
      '> WAL bytes a step',
      '> chatd ÷ it',
    ],
    cells,
  );
}

/** How each grows with the messages that a chat already has. */
export function historyTable(rows: readonly ServerRow[]): string {
  const histories = [...new Set(rows.map(({ history }) => history))];
  const all = (name: string, pick: (row: ServerRow) => number | null, digits: number) =>
    histories
      .map((history) => rows.find((row) => row.name === name && row.history === history))
      .map((row) => formatNumber(row && pick(row), digits))
      .join(' / ');
  return markdownTable(
    [
      `earlier messages: ${histories.map((history) => formatNumber(history)).join(' / ')}`,
      '> steps/s',
      '> CPU s per 1,000 steps',
      '> first text p50, ms',
      '> WAL bytes a step',
    ],
    programsIn(rows).map(([name, { label }]) => [
      label,
      all(name, ({ stepsPerSecond }) => stepsPerSecond, 0),
      all(name, ({ totalCpu }) => totalCpu, 1),
      all(name, ({ firstTextP50 }) => firstTextP50, 0),
      all(name, ({ walPerStep }) => walPerStep, 0),
    ]),
  );
}

/** Everything that was measured. */
export function fullTable(rows: readonly ServerRow[]): string {
  const order = programsIn(rows).map(([name]) => name);
  const sorted = rows.toSorted(
    (a, b) =>
      a.history - b.history ||
      a.concurrency - b.concurrency ||
      order.indexOf(a.name) - order.indexOf(b.name),
  );
  return markdownTable(
    [
      '> earlier messages',
      '> at once',
      '',
      '> steps/s',
      '> CPU s per 1,000 steps',
      '> + PostgreSQL',
      '> first text p50 / p99 ms',
      '> WAL bytes a step',
      '> commits a step',
      '> RSS MB',
    ],
    sorted.map((row) => [
      formatNumber(row.history),
      row.concurrency,
      PROGRAMS[row.name]?.short ?? row.name,
      formatNumber(row.stepsPerSecond),
      formatNumber(row.peerCpu, 2),
      formatNumber(row.storeCpu, 2),
      `${formatNumber(row.firstTextP50, 1)} / ${formatNumber(row.firstTextP99, 1)}`,
      formatNumber(row.walPerStep),
      formatNumber(row.commitsPerStep, 2),
      formatNumber(row.residentMb),
    ]),
  );
}
