import type { BusData } from '../report/bus.ts';
import type { MachinesData } from '../report/machines.ts';
import { formatNumber, markdownTable } from '../report/markdown.ts';
import type { SearchData } from '../report/search.ts';
import type { SizingData } from '../report/sizing.ts';
import type { StoreData } from '../report/store.ts';
import {
  type Load,
  loadOf,
  type Traffic,
  trafficOf,
  TYPICAL,
  type Workload,
} from './load-model.ts';

/** The columns of the docs. */
const THREE_SCALES: readonly Workload[] = [1e3, 1e5, 1e7].map((chatsPerDay) => ({
  ...TYPICAL,
  chatsPerDay,
}));

type Row<Of> = readonly [string, (load: Of) => number];

const LOAD: readonly Row<Load>[] = [
  ['turns per second', (load) => load.turnsPerSecond],
  ['running chats', (load) => load.runningChats],
  ['cores of replicas', (load) => load.serverCores],
  ['replicas', (load) => load.replicas],
  ['cores of PostgreSQL', (load) => load.postgresCores],
  ['commits per second', (load) => load.commitsPerSecond],
  ['WAL, MB per second', (load) => load.walMbPerSecond],
  ['connections without a pooler', (load) => load.connections],
  ['stored per day, GB', (load) => load.storedGbPerDay],
  ['stored in all, GB', (load) => load.storedGb],
  ['messages in all, millions', (load) => load.messages / 1e6],
  ['files in all, GB', (load) => load.filesGb],
  ['tool calls per second', (load) => load.callsPerSecond],
  ['machines', (load) => load.machines],
];

/** Loads of several workloads, one column each. */
export const loadTable = (sizing: SizingData, workloads = THREE_SCALES): string =>
  table((workload) => loadOf(sizing, workload), workloads, LOAD);

/** Commits, as a multiple of what the servers of the store benchmark reach. */
export function commitTable({ rows }: StoreData, workloads = THREE_SCALES): string {
  const steps = rows.filter(({ what }) => what === 'commit step');
  const kinds = [...new Set(steps.map(({ server }) => server))];
  return table(
    trafficOf,
    workloads,
    kinds.map((server): Row<Traffic> => {
      const best = Math.max(
        ...steps.filter((row) => row.server === server).map((row) => row.perSecond),
      );
      const name = `commits ÷ maximum of PostgreSQL ${server.split(' ')[1] ?? ''} (${formatNumber(best)} steps per second)`;
      return [name, (load) => load.commitsPerSecond / best];
    }),
  );
}

/** Each replica receives the changes of all chats. */
export function busTable({ rows }: BusData, workloads = THREE_SCALES): string {
  const kinds = [...new Set(rows.map(({ bus }) => bus))].filter((bus) => bus !== 'memory');
  const costs = kinds.flatMap((bus) =>
    rows
      .filter((row) => row.bus === bus && row.receiverMicros !== null)
      .flatMap(({ what, receiverMicros, brokerMicros }): Row<Traffic>[] => [
        [
          `${bus}, cost at ${what}: cores of each replica to receive`,
          (load) => (load.commitsPerSecond * (receiverMicros ?? 0)) / 1e6,
        ],
        [
          `${bus}, cost at ${what}: cores of the broker for each replica`,
          (load) => (load.commitsPerSecond * (brokerMicros ?? 0)) / 1e6,
        ],
      ]),
  );
  return table(trafficOf, workloads, [
    ['messages per second', (load) => load.commitsPerSecond],
    ...costs,
  ]);
}

/** Questions and answers are indexed, not tool calls. */
export function searchTable({ sizes }: SearchData, workloads = THREE_SCALES): string {
  const bytes = sizes.at(-1)?.searchBytes ?? Number.NaN;
  return table(trafficOf, workloads, [
    ['messages in the index, millions', (load) => load.indexedMessages / 1e6],
    ['index, GB', (load) => (load.indexedMessages * bytes) / 1e9],
  ]);
}

/** Connections of machines are spread over the replicas. */
export const machineTable = ({ idle }: MachinesData, workloads = THREE_SCALES): string =>
  table(trafficOf, workloads, [
    ['machines', (load) => load.machines],
    [
      'cores of all replicas for idle connections',
      (load) => (load.machines * idle.cores) / idle.machines,
    ],
    ['heap of all replicas for them, MB', (load) => (load.machines * idle.heapBytes) / 1e6],
  ]);

function table<Of>(
  of: (workload: Workload) => Of,
  workloads: readonly Workload[],
  rows: readonly Row<Of>[],
): string {
  const loads = workloads.map(of);
  return markdownTable(
    [
      'in the busiest hour',
      ...workloads.map((one) => `> ${formatNumber(one.chatsPerDay)} chats a day`),
    ],
    rows.map(([name, value]) => [name, ...loads.map((load) => readable(value(load)))]),
  );
}

/** Two significant digits. */
function readable(value: number): string {
  const digits =
    value > 0 && !Number.isInteger(value) ? Math.max(0, 1 - Math.floor(Math.log10(value))) : 0;
  return formatNumber(Number(value.toPrecision(2)), Math.min(digits, 4));
}
