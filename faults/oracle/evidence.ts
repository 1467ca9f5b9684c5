import type { Acknowledged } from '../clients/conversation.ts';
import type { Viewer } from '../clients/viewer.ts';
import type { Api } from '../clients/api.ts';
import type { Effect } from '../deployment/effects.ts';
import type { Records } from './records.ts';

/** Evidence of a run, collected outside the processes under test. */
export interface Evidence {
  readonly records: Records;
  readonly api: Api;
  readonly acknowledged: readonly Acknowledged[];
  readonly viewers: readonly Viewer[];
  readonly effects: readonly Effect[];
  /** Requests that the provider rejected as invalid. */
  readonly rejectedPrompts: readonly unknown[];
  /** Minimum number of answered turns. */
  readonly progress: number;
  /** Chats whose last turn may end with an error. */
  readonly mayFail?: ReadonlySet<string>;
  /** The chats to check. Default: all. */
  readonly chats?: readonly string[];
}

/** Resolves to the problems found, as text. */
export type Check = (evidence: Evidence) => Promise<string[]>;
