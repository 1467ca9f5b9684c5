import { formatNumber, markdownTable } from './markdown.ts';
import { type Program, PROGRAMS, type ServerData, type ServerRow } from './server-data.ts';

type Metric = 'stepsPerSecond' | 'totalCpu' | 'firstTextP50' | 'walPerStep';

/** The measured programs, in table order. */
export function programsIn(rows: readonly ServerRow[]): [string, Program][] {
  return Object.entries(PROGRAMS).filter(([name]) => rows.some((row) => row.name === name));
}

/** Ratio of chatd to another program in the same case. Above 1 is better for steps, below 1 for all other metrics. */
export function chatdTo(
  rows: readonly ServerRow[],
  other: ServerRow,
  metric: Metric,
): number | undefined {
  const ours = rows.find(
    ({ name, steps, history, concurrency }) =>
      name === 'chatd' &&
      steps === other.steps &&
      history === other.history &&
      concurrency === other.concurrency,
  )?.[metric];
  const theirs = other[metric];
  return ours === undefined || ours === null || !theirs ? undefined : ours / theirs;
}

/** All programs in one case, with the ratio of chatd to each. */
export function headlineTable(rows: readonly ServerRow[]): string {
  const cells = programsIn(rows).map(([name, { label, resumes }]) => {
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
      resumes ? 'yes' : 'no',
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
      'resumes after a crash',
      '> steps/s',
      '> chatd ÷ this',
      '> CPU s per 1,000 steps',
      '> chatd ÷ this',
      '> time to first text, ms',
      '> chatd ÷ this',
      '> WAL bytes/step',
      '> chatd ÷ this',
    ],
    cells,
  );
}

/** Cost by the number of earlier messages in the chat. */
export function historyTable(rows: readonly ServerRow[]): string {
  const histories = [...new Set(rows.map(({ history }) => history))];
  const rowsOf = (name: string) =>
    histories.map((history) => rows.find((row) => row.name === name && row.history === history));
  const all = (name: string, pick: (row: ServerRow) => number | null, digits: number) =>
    rowsOf(name)
      .map((row) => formatNumber(row && pick(row), digits))
      .join(' / ');
  /** CPU per step with the longest history, compared with an empty one. */
  const growth = (name: string) => {
    const [first, last] = [rowsOf(name)[0]?.totalCpu, rowsOf(name).at(-1)?.totalCpu];
    return first === undefined || last === undefined ? '–' : formatNumber(last / first, 1);
  };
  return markdownTable(
    [
      `earlier messages: ${histories.map((history) => formatNumber(history)).join(' / ')}`,
      '> steps/s',
      '> CPU s per 1,000 steps',
      '> last ÷ first',
      '> the turn before, CPU s',
      '> time to first text p50, ms',
      '> WAL bytes/step',
    ],
    programsIn(rows).map(([name, { label }]) => [
      label,
      all(name, ({ stepsPerSecond }) => stepsPerSecond, 0),
      all(name, ({ totalCpu }) => totalCpu, 1),
      growth(name),
      all(name, ({ firstTurnCpu }) => firstTurnCpu, 1),
      all(name, ({ firstTextP50 }) => firstTextP50, 0),
      all(name, ({ walPerStep }) => walPerStep, 0),
    ]),
  );
}

export function fullTable(rows: readonly ServerRow[]): string {
  const order = programsIn(rows).map(([name]) => name);
  const sorted = rows.toSorted(
    (a, b) =>
      a.steps - b.steps ||
      a.history - b.history ||
      a.concurrency - b.concurrency ||
      order.indexOf(a.name) - order.indexOf(b.name),
  );
  return markdownTable(
    [
      '> steps',
      '> earlier messages',
      '> concurrency',
      '',
      '> steps/s',
      '> program CPU s per 1,000 steps',
      '> PostgreSQL CPU s',
      '> time to first text p50 / p99, ms',
      '> WAL bytes/step',
      '> commits/step',
      '> RSS MB',
    ],
    sorted.map((row) => [
      row.steps,
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

/** chatd with one process and with several. */
export function processesTable(rows: ServerData['processes']): string {
  const one = rows.find(({ processes }) => processes === 1)?.stepsPerSecond;
  return markdownTable(
    [
      '> processes',
      '> steps/s',
      '> ÷ one process',
      '> program CPU s per 1,000 steps',
      '> PostgreSQL CPU s',
      '> time to first text p50 / p99, ms',
      '> RSS MB, all processes',
    ],
    rows
      .toSorted((a, b) => a.processes - b.processes)
      .map((row) => [
        row.processes,
        formatNumber(row.stepsPerSecond),
        formatNumber(one && row.stepsPerSecond / one, 2),
        formatNumber(row.peerCpu, 2),
        formatNumber(row.storeCpu, 2),
        `${formatNumber(row.firstTextP50, 1)} / ${formatNumber(row.firstTextP99, 1)}`,
        formatNumber(row.residentMb),
      ]),
  );
}
