import { findText } from './find-text.ts';

export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean | undefined;
}

/** What is wrong with an edit, in words for the model. */
export interface EditProblem {
  readonly edit: number;
  readonly message: string;
}

export interface Edited {
  readonly text: string;
  readonly problems: readonly EditProblem[];
}

/** One after the other, each on the result of those before it. Undefined: there is no such file yet. */
export function applyEdits(file: string | undefined, edits: readonly Edit[]): Edited {
  const problems: EditProblem[] = [];
  let text = file;
  for (const [index, edit] of edits.entries()) {
    const outcome = apply(text, edit);
    if (typeof outcome === 'string') text = outcome;
    else problems.push({ edit: index + 1, message: outcome.message });
  }
  return { text: text ?? '', problems };
}

function apply(file: string | undefined, edit: Edit): string | { message: string } {
  const { old_text, new_text, replace_all = false } = edit;
  if (old_text === '') {
    if (file === undefined || file === '') return new_text;
    return { message: 'old_text is empty, which only makes a new file: give the text to replace.' };
  }
  if (file === undefined) {
    return {
      message: 'there is no such file. With an empty old_text, new_text would be its content.',
    };
  }
  if (old_text === new_text) return { message: 'old_text and new_text are the same.' };
  const found = findText(file, old_text, new_text);
  if ('nearest' in found) return { message: notFound(found.nearest) };
  const { ranges } = found;
  if (ranges.length > 1 && !replace_all) {
    const lines = ranges.map(({ start }) => lineAt(file, start)).join(', ');
    return {
      message: `old_text is found ${ranges.length} times, on the lines ${lines}. Give more of the text around the one that is meant, or set replace_all.`,
    };
  }
  let result = '';
  let from = 0;
  for (const { start, end, text } of ranges) {
    result += file.slice(from, start) + text;
    from = end;
  }
  return result + file.slice(from);
}

function notFound(nearest: readonly { line: number; text: string }[]): string {
  if (nearest.length === 0) {
    return 'old_text is not in the file, and nothing there is like it. Read the file again.';
  }
  const shown = nearest.map(({ line, text }) => `line ${line}:\n${text.slice(0, 1500)}`).join('\n');
  return `old_text is not in the file. What is most like it:\n${shown}`;
}

const lineAt = (file: string, index: number) => file.slice(0, index).split('\n').length;
