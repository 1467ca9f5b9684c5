import type { Message } from '@chatd/protocol';
import { draftOf } from '../../state/draft-of.ts';

/** What somebody has said before, newest first: in this chat, then elsewhere. */
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

/** Where somebody stands in what they have said: 0 is what they were writing. */
export interface Walk {
  readonly prompts: readonly string[];
  readonly at: number;
  /** What was being written, to come back to. */
  readonly written: string;
}

export interface Step {
  readonly walk: Walk | undefined;
  readonly text: string;
}

/**
 * An arrow up or down. Undefined: it only moves the cursor. It begins at the very start of the text, and goes on from
 * either end of what it has found, so that the lines of what is being written can be walked through as ever.
 */
export function walked(
  walk: Walk | undefined,
  key: 'ArrowUp' | 'ArrowDown',
  field: { readonly text: string; readonly start: number; readonly end: number },
  prompts: () => readonly string[],
): Step | undefined {
  const { text, start, end } = field;
  if (start !== end || (start !== 0 && start !== text.length)) return undefined;
  // Once something was changed it is being written, not walked through.
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
