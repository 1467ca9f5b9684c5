import { type BarChart, barChart } from './chart.ts';
import { formatNumber } from './markdown.ts';
import type { ServerRow } from './server-data.ts';
import { programsIn } from './server-table.ts';

/** The same bars for each number of conversations at once. */
export function serverCharts(rows: readonly ServerRow[]): Record<string, string> {
  return {
    'server-steps.svg': barChart({
      title: 'Steps per second',
      description: described(rows, 'steps a second', (row) => formatNumber(row.stepsPerSecond)),
      unit: 'model calls answered and stored per second; more is better; † loses a turn in a crash',
      groups: groups(rows, (row) => ({
        values: [row.stepsPerSecond],
        label: formatNumber(row.stepsPerSecond),
      })),
    }),
    'server-cpu.svg': barChart({
      title: 'CPU for 1,000 steps',
      description: described(rows, 'CPU seconds', (row) => formatNumber(row.totalCpu, 1)),
      unit: 'seconds; less is better; † loses a turn in a crash',
      pieces: ['program', 'PostgreSQL'],
      groups: groups(rows, (row) => ({
        values: [row.peerCpu, row.storeCpu ?? 0],
        label: formatNumber(row.totalCpu, 1),
      })),
    }),
    'server-first-text.svg': barChart({
      title: 'Time to the first text, after four tool calls',
      description: described(rows, 'ms at the median', (row) => formatNumber(row.firstTextP50)),
      unit: 'ms, median (99th percentile in brackets); less is better; each group has its own scale; † loses a turn in a crash',
      scaleEachGroup: true,
      groups: groups(rows, (row) => ({
        values: [row.firstTextP50],
        label: `${formatNumber(row.firstTextP50)} (${formatNumber(row.firstTextP99)})`,
      })),
    }),
  };
}

function groups(
  rows: readonly ServerRow[],
  bar: (row: ServerRow) => { values: number[]; label: string },
): BarChart['groups'] {
  const concurrencies = [...new Set(rows.map(({ concurrency }) => concurrency))];
  return concurrencies.map((concurrency) => ({
    name: concurrency === 1 ? 'one conversation at a time' : `${concurrency} conversations at once`,
    bars: programsIn(rows).flatMap(([name, { short, goesOn }]) => {
      const row = rows.find((row) => row.name === name && row.concurrency === concurrency);
      return row === undefined
        ? []
        : [{ name: goesOn ? short : `${short} †`, strong: name === 'chatd', ...bar(row) }];
    }),
  }));
}

function described(
  rows: readonly ServerRow[],
  unit: string,
  value: (row: ServerRow) => string,
): string {
  const most = Math.max(...rows.map(({ concurrency }) => concurrency));
  const words = programsIn(rows).flatMap(([name, { short }]) => {
    const row = rows.find((row) => row.name === name && row.concurrency === most);
    return row === undefined ? [] : [`${short} ${value(row)}`];
  });
  return `With ${most} conversations at once, ${unit}: ${words.join(', ')}.`;
}
