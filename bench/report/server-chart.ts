import { type BarChart, barChart } from './chart.ts';
import { formatNumber } from './markdown.ts';
import type { ServerRow } from './server-data.ts';
import { programsIn } from './server-table.ts';

/** One group of bars per concurrency level. */
export function serverCharts(rows: readonly ServerRow[]): Record<string, string> {
  return {
    'server-steps.svg': barChart({
      title: 'Steps per second',
      description: described(rows, 'steps per second', (row) => formatNumber(row.stepsPerSecond)),
      unit: 'completed and stored model calls per second; higher is better; † loses the turn in a crash',
      groups: groups(rows, (row) => ({
        values: [row.stepsPerSecond],
        label: formatNumber(row.stepsPerSecond),
      })),
    }),
    'server-cpu.svg': barChart({
      title: 'CPU for 1,000 steps',
      description: described(rows, 'CPU seconds', (row) => formatNumber(row.totalCpu, 1)),
      unit: 'seconds; lower is better; † loses the turn in a crash',
      pieces: ['program', 'PostgreSQL'],
      groups: groups(rows, (row) => ({
        values: [row.peerCpu, row.storeCpu ?? 0],
        label: formatNumber(row.totalCpu, 1),
      })),
    }),
    'server-first-text.svg': barChart({
      title: 'Time to first text, after four tool calls',
      description: described(rows, 'median ms', (row) => formatNumber(row.firstTextP50)),
      unit: 'median ms (p99 in parentheses); lower is better; separate scale per group; † loses the turn in a crash',
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
    name: concurrency === 1 ? '1 conversation' : `${concurrency} concurrent conversations`,
    bars: programsIn(rows).flatMap(([name, { short, resumes }]) => {
      const row = rows.find((row) => row.name === name && row.concurrency === concurrency);
      return row === undefined
        ? []
        : [{ name: resumes ? short : `${short} †`, strong: name === 'chatd', ...bar(row) }];
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
  return `With ${most} concurrent conversations, ${unit}: ${words.join(', ')}.`;
}
