/** Notes in comments above a block; see scripts/docs/README.md. */
const NOTES = [
  'not run',
  'ctrl-c after',
  'background until',
  'types',
  'fails with',
  'prints',
  'file',
  'run',
  'not checked',
] as const;
export type NoteName = (typeof NOTES)[number];

export interface Block {
  /** Line number of the first line of text. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** In a comment, invisible to readers. */
  readonly hidden: boolean;
  readonly notes: ReadonlyMap<NoteName, string>;
}

export interface Page {
  /** Relative to the repository root. */
  readonly file: string;
  readonly blocks: readonly Block[];
  /** Why the commands of the page are not run. */
  readonly notRun: string | undefined;
  /** Errors in the notes. */
  readonly faults: readonly string[];
}

const FENCE = /^(?<indent> *)(?<marks>`{3,}|~{3,})(?<language>[\w-]*).*$/;
const HIDDEN = /^ *<!-- hidden(?: (?<language>\w+))?$/;
const COMMENT = /^ *<!-- (?<name>[^:]+?)(?:: (?<value>.*\S))? -->$/;
const WHOLE_PAGE = 'page not run';

/** Parses the blocks of a page and their notes. */
export function parsePage(file: string, text: string): Page {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  const faults: string[] = [];
  let notRun: string | undefined;
  let notes = new Map<NoteName, string>();
  const fault = (index: number, words: string) => faults.push(`${file}:${index + 1}: ${words}`);

  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const hidden = HIDDEN.exec(line);
    if (hidden !== null) {
      const end = lines.findIndex((other, at) => at > index && other.trim() === '-->');
      if (end < 0) fault(index, 'unclosed comment: expected a line with only -->');
      const last = end < 0 ? lines.length : end;
      blocks.push({
        line: index + 2,
        language: hidden.groups?.['language'] ?? 'sh',
        text: lines.slice(index + 1, last).join('\n'),
        hidden: true,
        notes,
      });
      notes = new Map();
      index = last;
      continue;
    }
    const fence = FENCE.exec(line)?.groups;
    if (fence !== undefined) {
      const marks = fence['marks'] ?? '';
      const indent = fence['indent']?.length ?? 0;
      const closing = new RegExp(`^ {0,${indent + 3}}${marks}${marks[0]}*\\s*$`);
      const end = lines.findIndex((other, at) => at > index && closing.test(other));
      const last = end < 0 ? lines.length : end;
      if (end < 0) fault(index, 'unclosed block');
      const within = lines.slice(index + 1, last).map((other) => withoutIndent(other, indent));
      const block: Block = {
        line: index + 2,
        language: fence['language'] ?? '',
        text: within.join('\n'),
        hidden: false,
        notes,
      };
      blocks.push(block);
      for (const words of faultsOf(block)) fault(index, words);
      notes = new Map();
      index = last;
      continue;
    }
    if (line.trim() === '') continue;
    const comment = COMMENT.exec(line)?.groups;
    const name = comment?.['name'] ?? '';
    if (name === WHOLE_PAGE) {
      notRun = comment?.['value'];
      if (notRun === undefined) fault(index, 'missing reason');
    } else if (isNote(name)) {
      notes.set(name, comment?.['value'] ?? '');
    } else {
      const [stray] = notes.keys();
      if (stray !== undefined) fault(index - 1, `"${stray}" is not followed by a block`);
      const followed = FENCE.test(nextText(lines, index));
      if (comment !== undefined && followed && !/^\/?figures?$/.test(name)) {
        fault(index, `unknown note "${name}"; use one of ${NOTES.join(', ')}`);
      }
      notes = new Map();
    }
  }
  return { file, blocks, notRun, faults };
}

/** Why a block is not run, or undefined. */
export function reasonNotRun(page: Page, block: Block): string | undefined {
  return block.notes.get('not run') ?? page.notRun;
}

const isNote = (name: string): name is NoteName => NOTES.some((note) => note === name);

const NEEDS_A_VALUE = new Set<NoteName>([
  'not run',
  'not checked',
  'ctrl-c after',
  'background until',
  'types',
  'fails with',
  'file',
]);
const OF_COMMANDS = new Set<NoteName>([
  'not run',
  'ctrl-c after',
  'background until',
  'types',
  'fails with',
]);

function faultsOf({ language, notes }: Block): string[] {
  const faults: string[] = [];
  if (['bash', 'shell', 'console', 'zsh'].includes(language)) {
    faults.push(`use sh for commands, not ${language}`);
  }
  for (const [name, value] of notes) {
    if (NEEDS_A_VALUE.has(name) && value === '') faults.push(`"${name}" requires a value`);
    if (OF_COMMANDS.has(name) && language !== 'sh') {
      faults.push(
        `"${name}" applies to sh blocks, not to ${language === '' ? 'plain' : language} ones`,
      );
    }
  }
  if (notes.has('run') && language !== 'ts') faults.push('"run" applies to ts blocks');
  return faults;
}

function withoutIndent(line: string, indent: number): string {
  const own = line.length - line.trimStart().length;
  return line.slice(Math.min(indent, own));
}

function nextText(lines: readonly string[], after: number): string {
  return lines.slice(after + 1).find((line) => line.trim() !== '') ?? '';
}
