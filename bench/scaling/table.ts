import { formatNumber, markdownTable } from '../report/markdown.ts';
import type { SizingData } from '../report/sizing.ts';
import { type Load, loadOf, type Workload } from './load-model.ts';

const ROWS: readonly (readonly [string, (load: Load) => number])[] = [
  ['turns per second', (load) => load.turnsPerSecond],
  ['running chats', (load) => load.runningChats],
  ['cores of replicas', (load) => load.serverCores],
  ['cores of PostgreSQL', (load) => load.postgresCores],
  ['commits per second', (load) => load.commitsPerSecond],
  ['WAL, MB per second', (load) => load.walMbPerSecond],
  ['stored per day, GB', (load) => load.storedGbPerDay],
  ['stored in all, GB', (load) => load.storedGb],
  ['messages in all, millions', (load) => load.messages / 1e6],
];

/** Loads of several workloads, one column each. */
export function loadTable(measured: SizingData, workloads: readonly Workload[]): string {
  const loads = workloads.map((workload) => loadOf(measured, workload));
  return markdownTable(
    [
      'in the busiest hour',
      ...workloads.map((one) => `> ${formatNumber(one.chatsPerDay)} chats a day`),
    ],
    ROWS.map(([name, of]) => [name, ...loads.map((load) => readable(of(load)))]),
  );
}

/** Two significant digits. */
function readable(value: number): string {
  const digits = value > 0 ? Math.max(0, 1 - Math.floor(Math.log10(value))) : 0;
  return formatNumber(Number(value.toPrecision(2)), Math.min(digits, 4));
}
