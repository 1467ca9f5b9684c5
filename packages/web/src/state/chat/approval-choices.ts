import { Cell } from '../cell.ts';

/** How long a decision applies: to this call, in this chat, or in all chats of the user. */
export type ApprovalScope = 'once' | 'chat' | 'always';

export const NONE_SENT: ReadonlyMap<string, 'allow' | 'deny'> = new Map();

/** The answer to a question, or the reason of a denial, while it is written. */
export interface ReplyDraft {
  readonly text: string;
  /** Labels of options. */
  readonly selected: readonly string[];
}

const NO_REPLY: ReplyDraft = { text: '', selected: [] };

/** What the user has chosen and written for pending calls. Kept while their cards are scrolled out of view. */
export class ApprovalChoices {
  readonly #scopes = new Map<string, Cell<ApprovalScope>>();
  readonly #drafts = new Map<string, Cell<ReplyDraft>>();
  /** Decisions that were sent, until the stream reports what is left to decide. */
  readonly sent = new Cell(NONE_SENT);

  scopeOf(callId: string): Cell<ApprovalScope> {
    const known = this.#scopes.get(callId);
    if (known !== undefined) return known;
    const cell = new Cell<ApprovalScope>('once');
    this.#scopes.set(callId, cell);
    return cell;
  }

  draftOf(callId: string): Cell<ReplyDraft> {
    const known = this.#drafts.get(callId);
    if (known !== undefined) return known;
    const cell = new Cell(NO_REPLY);
    this.#drafts.set(callId, cell);
    return cell;
  }
}
