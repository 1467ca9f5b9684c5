import type { BusKind } from './deployment/deployment.ts';
import type { Postgres } from './deployment/postgres.ts';
import { addExamined, type Examined, NOTHING } from './oracle/examined.ts';
import type { Problem } from './oracle/problem.ts';

export interface RowContext {
  readonly bus: BusKind;
  readonly postgres: Postgres;
  /** Number of times the fault is injected. */
  readonly rounds: number;
  /** Number of chats in each round. */
  readonly chats: number;
  readonly log: (line: string) => void;
}

export interface Outcome {
  /** Measured times in milliseconds, by what was measured, such as `takeover`. */
  readonly times?: Readonly<Record<string, readonly number[]>>;
  /** Other measurements, such as `memory +60 MB`. */
  readonly figures?: readonly string[];
  /** Failed checks. */
  readonly problems: readonly Problem[];
  /** Exceeded time limits. The suite fails on them; tests ignore them. */
  readonly late?: readonly string[];
  /** Default: the run did not get that far. */
  readonly examined?: Examined;
  /** Reason why the row cannot run on this machine. */
  readonly skipped?: string;
}

export const hasPassed = ({ problems, late = [] }: Outcome): boolean =>
  problems.length === 0 && late.length === 0;

/** One row of the fault table: a fault, and the guarantee that must hold despite it. */
export interface Row {
  readonly name: string;
  readonly guarantee: string;
  /** Default: all buses. */
  readonly buses?: readonly BusKind[];
  /** Number of chats in each round, by default. */
  readonly chats: number;
  /** A round always has that number of chats. */
  readonly hasFixedSize?: boolean;
  /** Compares latencies, so no other row runs at the same time. */
  readonly runsAlone?: boolean;
  /** Rough duration of a round with 50 chats, and of the preparation. */
  readonly seconds: { readonly round: number; readonly setup?: number };
  run(context: RowContext): Promise<Outcome>;
}

/** The numbers of the rounds, from 1. Logs how long each has taken. */
export function* countRounds({
  rounds,
  log,
}: Pick<RowContext, 'rounds' | 'log'>): Generator<number, void> {
  for (let round = 1; round <= rounds; round += 1) {
    const began = performance.now();
    yield round;
    log(`round ${round} of ${rounds}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
}

/** The outcome of several clusters. The measurements are those of the caller. */
export const mergeVerdicts = (
  verdicts: readonly Outcome[],
): Required<Pick<Outcome, 'problems' | 'late' | 'examined'>> => ({
  problems: verdicts.flatMap(({ problems }) => problems),
  late: verdicts.flatMap(({ late = [] }) => late),
  examined: verdicts.reduce((sum, { examined = NOTHING }) => addExamined(sum, examined), NOTHING),
});
