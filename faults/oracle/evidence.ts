import type { Acknowledged } from '../clients/conversation.ts';
import type { Viewer } from '../clients/viewer.ts';
import type { Api } from '../clients/api.ts';
import type { Effect } from '../deployment/effects.ts';
import type { Witness } from '../deployment/witness.ts';

/** Everything that is known of a run from outside of the processes under test. */
export interface Evidence {
  readonly witness: Witness;
  readonly api: Api;
  readonly acknowledged: readonly Acknowledged[];
  readonly viewers: readonly Viewer[];
  readonly effects: readonly Effect[];
  /** Requests that a strict provider would have refused. */
  readonly rejectedPrompts: readonly unknown[];
  /** So many turns must have been answered, or the run proves nothing. */
  readonly progress: number;
  /** Chats whose last turn may have ended in an error. */
  readonly mayFail?: ReadonlySet<string>;
  /** Only these chats are judged; all unless told. */
  readonly chats?: readonly string[];
}

/** The first value of statements with this condition: the chats that are judged. */
export const judged = ({ chats }: Pick<Evidence, 'chats'>): readonly [readonly string[] | null] => [
  chats ?? null,
];

/** Each returns what it found wrong, in words. */
export type Check = (evidence: Evidence) => Promise<string[]>;
