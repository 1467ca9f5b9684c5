import { findText } from './find-text.ts';

export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean | undefined;
}

export interface EditProblem {
  readonly edit: number;
  readonly message: string;
}

export interface Edited {
  readonly text: string;
  readonly problems: readonly EditProblem[];
}

/** Applies edits in sequence. `file` is undefined if the file does not exist yet. */
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
    return {
      message: 'old_text is empty, which is only allowed for a new file. Give the text to replace.',
    };
  }
  if (file === undefined) {
    return {
      message:
        'the file does not exist. To create it, use an empty old_text, with the content as new_text.',
    };
  }
  if (old_text === new_text) return { message: 'old_text and new_text are identical.' };
  const found = findText(file, old_text, new_text);
  if ('nearest' in found) return { message: notFound(found.nearest) };
  const { ranges } = found;
  if (ranges.length > 1 && !replace_all) {
    const lines = ranges.map(({ start }) => lineAt(file, start)).join(', ');
    return {
      message: `old_text occurs ${ranges.length} times, on lines ${lines}. Include more surrounding text, or set replace_all.`,
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
    return 'old_text was not found, and no similar text exists. Read the file again.';
  }
  const shown = nearest.map(({ line, text }) => `line ${line}:\n${text.slice(0, 1500)}`).join('\n');
  return `old_text was not found. Most similar text:\n${shown}`;
}

const lineAt = (file: string, index: number) => file.slice(0, index).split('\n').length;
