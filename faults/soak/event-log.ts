import type { Deployment } from '../deployment/deployment.ts';
import type { Counts, Disturbance } from './counts.ts';
import type { PatientWitness } from './patient-witness.ts';
import {
  type DatabaseSample,
  ownRssMb,
  type ReplicaSample,
  sampleDatabase,
  sampleReplica,
} from './sample.ts';

export interface Sample {
  /** Since the beginning, in milliseconds. */
  readonly atMs: number;
  /** By replica; null while it, or the database, was being restarted. */
  readonly replicas: readonly (ReplicaSample | null)[];
  readonly database: DatabaseSample;
  readonly counts: Readonly<Record<string, number>>;
  /** Of the process that makes the load, the model included. */
  readonly ownRssMb: number;
}

export interface Disturbed {
  readonly atMs: number;
  readonly what: Disturbance;
  readonly replica?: string;
}

/** What was seen of a run, every few seconds. Some hundred bytes each: hours of it fit into memory. */
export class EventLog {
  readonly samples: Sample[] = [];
  readonly disturbances: Disturbed[] = [];
  readonly #start: number;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
    this.#start = now();
  }

  get elapsedMs(): number {
    return this.#now() - this.#start;
  }

  async take(deployment: Deployment, witness: PatientWitness, counts: Counts): Promise<Sample> {
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

  disturbed(what: Disturbance, replica: string | undefined): void {
    this.disturbances.push({
      atMs: this.elapsedMs,
      what,
      ...(replica !== undefined && { replica }),
    });
  }
}
