import type { ProblemCode } from '@chatd/protocol';

/**
 * Why a command was refused. Clients see problem codes; the last three are for runners:
 * `lost_lease`: somebody else runs the chat now; `obsolete`: the history or the attempt is no longer the one
 * that the work was based on; `not_runnable`: the chat is in a state in which a runner has nothing to do.
 */
export type RefusalCode = ProblemCode | 'lost_lease' | 'obsolete' | 'not_runnable';

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, detail: string) {
    super(detail);
    this.code = code;
  }
}
