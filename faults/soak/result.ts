import type { BusKind } from '../deployment/deployment.ts';
import type { EventLog, Sample } from './event-log.ts';
import type { InjectedFault } from './counts.ts';
import type { Trends } from './leaks.ts';
import type { ReplicaSample } from './sample.ts';
import type { SoakRun } from './soak.ts';

type Column = readonly (number | null)[];

/** The stored result: counts, trends, and downsampled columns. Times are in minutes. */
export interface SoakResult {
  readonly bus: BusKind;
  readonly minutes: number;
  readonly users: number;
  readonly restartEverySeconds: number;
  readonly crashEveryMinutes: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: number;
  readonly trends: Trends;
  readonly faults: readonly {
    readonly atMin: number;
    readonly what: InjectedFault;
    readonly replica?: string;
  }[];
  readonly atMin: Column;
  /** By replica; the first is never restarted. */
  readonly replicas: readonly Readonly<Record<keyof ReplicaSample, Column>>[];
  readonly database: Readonly<Record<keyof Sample['database'], Column>>;
  readonly turns: Column;
  readonly ownRssMb: Column;
}

const POINTS = 90;

export function toSoakResult(
  about: Pick<
    SoakResult,
    'bus' | 'minutes' | 'users' | 'restartEverySeconds' | 'crashEveryMinutes'
  >,
  { eventLog, counts, problemsFound }: SoakRun,
  trends: Trends,
): SoakResult {
  const samples = downsampled(eventLog);
  const column = (value: (sample: Sample) => number | null | undefined): Column =>
    samples.map((sample) => rounded(value(sample)));
  const replicas = samples[0]?.replicas ?? [];
  return {
    ...about,
    counts,
    problems: problemsFound,
    trends,
    faults: eventLog.faults.map(({ atMs, ...rest }) => ({
      atMin: minutes(atMs),
      ...rest,
    })),
    atMin: samples.map(({ atMs }) => minutes(atMs)),
    replicas: replicas.map((_, index) => ({
      rssMb: column((sample) => sample.replicas[index]?.rssMb),
      heapMb: column((sample) => sample.replicas[index]?.heapMb),
      handles: column((sample) => sample.replicas[index]?.handles),
      lagMs: column((sample) => sample.replicas[index]?.lagMs),
    })),
    database: {
      sizeMb: column(({ database }) => database.sizeMb),
      connections: column(({ database }) => database.connections),
      deadRows: column(({ database }) => database.deadRows),
      walMb: column(({ database }) => database.walMb),
    },
    turns: column((sample) => sample.counts['turns answered']),
    ownRssMb: column((sample) => sample.ownRssMb),
  };
}

/** Every nth sample, and the last. */
function downsampled({ samples }: EventLog): Sample[] {
  const step = Math.max(1, Math.ceil(samples.length / POINTS));
  return samples.filter((_, index) => index % step === 0 || index === samples.length - 1);
}

const minutes = (ms: number): number => Math.round(ms / 600) / 100;

const rounded = (value: number | null | undefined): number | null =>
  value === null || value === undefined || Number.isNaN(value) ? null : Math.round(value * 10) / 10;
