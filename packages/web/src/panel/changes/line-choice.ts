import type { PatchLine } from './patch.ts';

/** Selected lines of one hunk, from anchor to head. */
export interface LineChoice {
  readonly hunk: number;
  readonly from: number;
  readonly to: number;
}

/** Extends from the anchor if it is in the same hunk. */
export const chosen = (
  before: LineChoice | undefined,
  hunk: number,
  line: number,
  extend: boolean,
): LineChoice =>
  extend && before?.hunk === hunk ? { ...before, to: line } : { hunk, from: line, to: line };

export const isChosen = (choice: LineChoice | undefined, hunk: number, line: number): boolean =>
  choice?.hunk === hunk &&
  line >= Math.min(choice.from, choice.to) &&
  line <= Math.max(choice.from, choice.to);

export interface ChosenLines {
  readonly start: number;
  readonly end: number;
  readonly content: string;
}

/** The new lines; the old ones when all of them were removed. */
export function chosenLines(lines: readonly PatchLine[], { from, to }: LineChoice): ChosenLines {
  const some = lines.slice(Math.min(from, to), Math.max(from, to) + 1);
  const there = some.filter(({ after }) => after !== undefined);
  const shown = there.length > 0 ? there : some;
  const numbers = shown.map(({ after, before }) => after ?? before ?? 0);
  return {
    start: numbers[0] ?? 0,
    end: numbers.at(-1) ?? 0,
    content: shown.map(({ text }) => text).join('\n'),
  };
}
