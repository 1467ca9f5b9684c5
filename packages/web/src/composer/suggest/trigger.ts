/** The text at the cursor that triggers suggestions. */
export interface Trigger {
  /** `@` mentions a file; `/` at the very beginning runs a command. */
  readonly kind: 'file' | 'command';
  readonly query: string;
  /** The positions of the sign and of the cursor. */
  readonly from: number;
  readonly to: number;
}

/** Longer texts are not names. */
const LONGEST_QUERY = 100;

export function triggerAt(text: string, start: number, end: number): Trigger | undefined {
  if (start !== end) return undefined;
  const before = text.slice(Math.max(0, start - LONGEST_QUERY), start);
  const command = /^\/([\w-]*)$/.exec(text.slice(0, start));
  if (command !== null) return { kind: 'command', query: command[1] ?? '', from: 0, to: start };
  // Only at the start of a word: not in email addresses.
  const file = /(?:^|[\s("'`[])@([^\s@]*)$/.exec(before);
  if (file === null) return undefined;
  const query = file[1] ?? '';
  return { kind: 'file', query, from: start - query.length - 1, to: start };
}
