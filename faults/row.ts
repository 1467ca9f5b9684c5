import type { BusKind } from './deployment/deployment.ts';
import type { Postgres } from './deployment/postgres.ts';

export interface RowContext {
  readonly bus: BusKind;
  readonly postgres: Postgres;
  /** Number of times the fault is injected. */
  readonly rounds: number;
  readonly log: (line: string) => void;
}

export interface Outcome {
  /** The measurements, as text. */
  readonly figure: string;
  /** Failed checks. */
  readonly problems: readonly string[];
  /** Exceeded time limits. The suite fails on them; tests ignore them. */
  readonly late?: readonly string[];
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
  run(context: RowContext): Promise<Outcome>;
}
