import type { Deployment } from '../deployment/deployment.ts';
import type { Counts, InjectedFault } from './counts.ts';
import type { RetryingWitness } from './retrying-witness.ts';
import {
  type DatabaseSample,
  ownRssMb,
  type ReplicaSample,
  sampleDatabase,
  sampleReplica,
} from './sample.ts';

export interface Sample {
  /** Time since the start. */
  readonly atMs: number;
  /** By replica; null during a restart of the replica or the database. */
  readonly replicas: readonly (ReplicaSample | null)[];
  readonly database: DatabaseSample;
  readonly counts: Readonly<Record<string, number>>;
  /** RSS of the load generator, including the fake model. */
  readonly ownRssMb: number;
}

export interface FaultEvent {
  readonly atMs: number;
  readonly what: InjectedFault;
  readonly replica?: string;
}

/** Samples and faults of a run. A sample takes a few hundred bytes, so hours fit in memory. */
export class EventLog {
  readonly samples: Sample[] = [];
  readonly faults: FaultEvent[] = [];
  readonly #start: number;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
    this.#start = now();
  }

  get elapsedMs(): number {
    return this.#now() - this.#start;
  }

  async take(deployment: Deployment, witness: RetryingWitness, counts: Counts): Promise<Sample> {
    const { members, api } = deployment;
    const [replicas, database, own] = await Promise.all([
      Promise.all(members.map(({ replica }) => sampleReplica(replica, api.headers))),
      sampleDatabase(witness),
      ownRssMb(),
    ]);
    const sample = {
      atMs: this.elapsedMs,
      replicas: replicas.map((one) => one ?? null),
      database,
      counts: counts.all(),
      ownRssMb: own,
    };
    this.samples.push(sample);
    return sample;
  }

  addFault(what: InjectedFault, replica: string | undefined): void {
    this.faults.push({
      atMs: this.elapsedMs,
      what,
      ...(replica !== undefined && { replica }),
    });
  }
}
