import type { Message } from '@chatd/protocol';
import { draftOf } from '../../state/draft-of.ts';

/** Earlier prompts, newest first: of this chat, then of others. */
export function promptsOf(
  messages: readonly Pick<Message, 'role' | 'content'>[],
  recent: readonly string[],
): string[] {
  const here = messages
    .filter(({ role }) => role === 'user')
    .map((message) => draftOf(message).text.trim())
    .toReversed();
  return [...new Set([...here, ...recent])].filter((text) => text !== '');
}

/** Position in the history. 0 is the draft. */
export interface HistoryPosition {
  readonly prompts: readonly string[];
  readonly at: number;
  /** The draft to return to. */
  readonly written: string;
}

export interface HistoryMove {
  readonly walk: HistoryPosition | undefined;
  readonly text: string;
}

/**
 * Handles an arrow key. Undefined: it only moves the cursor. Recall starts at the very beginning of the text and
 * continues from either end of a recalled prompt, so that arrow keys still move within a multi-line draft.
 */
export function recallPrompt(
  walk: HistoryPosition | undefined,
  key: 'ArrowUp' | 'ArrowDown',
  field: { readonly text: string; readonly start: number; readonly end: number },
  prompts: () => readonly string[],
): HistoryMove | undefined {
  const { text, start, end } = field;
  if (start !== end || (start !== 0 && start !== text.length)) return undefined;
  // An edited prompt becomes the draft.
  const current = walk !== undefined && walk.prompts[walk.at - 1] === text ? walk : undefined;
  if (key === 'ArrowUp') {
    if (current === undefined && start !== 0) return undefined;
    const from = current ?? { prompts: prompts(), at: 0, written: text };
    const next = from.prompts[from.at];
    return next === undefined ? undefined : { walk: { ...from, at: from.at + 1 }, text: next };
  }
  if (current === undefined) return undefined;
  if (current.at === 1) return { walk: undefined, text: current.written };
  const at = current.at - 1;
  return { walk: { ...current, at }, text: current.prompts[at - 1] ?? current.written };
}
