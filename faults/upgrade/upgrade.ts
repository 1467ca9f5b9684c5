import type { Problem } from '../oracle/problem.ts';
import type { RowContext } from '../row.ts';

export interface UpgradeOutcome {
  /** The measurements, as text. */
  readonly figure: string;
  /** Failed checks. */
  readonly problems: readonly Problem[];
}

/** An upgrade under load, and the guarantee that must hold meanwhile. */
export interface Upgrade {
  readonly name: string;
  readonly guarantee: string;
  run(context: Pick<RowContext, 'bus' | 'postgres' | 'log'>): Promise<UpgradeOutcome>;
}
