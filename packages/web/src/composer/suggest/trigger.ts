/** What is being typed that something can be offered for. */
export interface Trigger {
  /** `@` names a file, `/` at the very beginning a command. */
  readonly kind: 'file' | 'command';
  readonly query: string;
  /** Where the sign stands, and the cursor. */
  readonly from: number;
  readonly to: number;
}

/** Longer ones are no names any more, but text that happens to begin with a sign. */
const LONGEST_QUERY = 100;

export function triggerAt(text: string, start: number, end: number): Trigger | undefined {
  if (start !== end) return undefined;
  const before = text.slice(Math.max(0, start - LONGEST_QUERY), start);
  const command = /^\/([\w-]*)$/.exec(text.slice(0, start));
  if (command !== null) return { kind: 'command', query: command[1] ?? '', from: 0, to: start };
  // Not in an address of mail: the sign begins a word.
  const file = /(?:^|[\s("'`[])@([^\s@]*)$/.exec(before);
  if (file === null) return undefined;
  const query = file[1] ?? '';
  return { kind: 'file', query, from: start - query.length - 1, to: start };
}
