import type { Sandbox } from './driver.ts';
import type { ProcessList } from './processes/process-list.ts';

/** A workspace that can be worked in now. */
export interface OpenWorkspace {
  readonly id: string;
  readonly sandbox: Sandbox;
  readonly processes: ProcessList;
  /** Its sandbox is gone, and everything that ran in it. */
  readonly isClosed: () => boolean;
  /** Grows with everything that may have changed a file: what was computed from files is stale. */
  readonly revision: () => number;
  /** Something may have changed a file. */
  touch(): void;
}
