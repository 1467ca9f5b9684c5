import type { Sandbox } from '../machine/drivers/driver.ts';
import type { ProcessList } from '../machine/processes/process-list.ts';

export interface OpenWorkspace {
  readonly id: string;
  readonly sandbox: Sandbox;
  readonly processes: ProcessList;
  readonly isClosed: () => boolean;
  /** Grows with every action that may change files. Invalidates what was computed from them. */
  readonly revision: () => number;
  /** Reports a possible change to files. */
  touch(): void;
}
