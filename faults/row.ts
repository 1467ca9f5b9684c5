import type { BusKind } from './deployment/deployment.ts';
import type { Postgres } from './deployment/postgres.ts';

export interface Stage {
  readonly bus: BusKind;
  readonly postgres: Postgres;
  /** How often the fault is injected. */
  readonly rounds: number;
  /** For somebody who watches. */
  readonly say: (line: string) => void;
}

export interface Outcome {
  /** What was measured, in words. */
  readonly figure: string;
  /** What did not hold. */
  readonly problems: readonly string[];
  /** What held, and took longer than it should. A test asserts no time, the suite does. */
  readonly late?: readonly string[];
  /** Why it could not be tried here. */
  readonly skipped?: string;
}

export const hasHeld = ({ problems, late = [] }: Outcome): boolean =>
  problems.length === 0 && late.length === 0;

/** One row of the fault table: what goes wrong, and what must hold all the same. */
export interface Row {
  readonly name: string;
  readonly mustHold: string;
  /** On these buses; on both unless told. */
  readonly buses?: readonly BusKind[];
  run(stage: Stage): Promise<Outcome>;
}
