import { HALF_MARK, MARK } from '../citation.ts';

/** Code spans, which contain no other marks. */
const CODE_SPAN = /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g;
/** Incomplete markup that only the next characters decide. */
const BARE_MARK = /(?:^|\n)[ \t]*(?:#{1,6}|`{1,2}|~{1,2}|-{1,2}|\+|\\|\$)[ \t]*$/;
const OPEN_LINK = /!?\[([^\]\n]*)(?:\](?:\([^)\n]*)?)?$/;
const TABLE_START = /^\s{0,3}\|[^\n]*(?:\n\s{0,3}\|?[ \t:|-]*)?$/;

/**
 * Completes an open block: closes open marks, so that words do not change their style when the end mark arrives, and
 * reduces half a link to its text. Only the very end is changed.
 */
export function completed(text: string): string {
  // Code within a list contains no marks.
  if ((text.match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0) % 2 === 1) return text;
  if (TABLE_START.test(text)) return '';
  const said = text.replace(BARE_MARK, '');
  const paragraph = said.lastIndexOf('\n\n') + 1;
  const outside = said.slice(paragraph).replaceAll(CODE_SPAN, '');
  if (outside.includes('`')) return `${said.replace(/`+$/, '')}${openTicks(outside)}`;
  const linked = said
    .replace(HALF_MARK, '')
    .replace(OPEN_LINK, (link, words: string) => (MARK.test(link) ? link : words));
  const trimmed = linked.replace(/(?<=\s|^)[*_~]{1,3}$/, '');
  return trimmed + openMarks(trimmed.slice(paragraph).replaceAll(CODE_SPAN, ''));
}

function openTicks(outside: string): string {
  const [ticks = ''] = /`+/.exec(outside) ?? [];
  return outside.endsWith(ticks) ? '' : ticks;
}

const MARKS = ['~~', '**', '__', '*', '_'] as const;

/** Marks that are open, innermost first. */
function openMarks(text: string): string {
  let rest = text.replaceAll(/^[ \t]*(?:[*+-]|\d+[.)])[ \t]/gm, '').replaceAll(/\\./g, '');
  let closing = '';
  for (const mark of MARKS) {
    const pieces = rest.split(mark);
    rest = pieces.join(' ');
    const last = pieces.at(-1) ?? '';
    const opens = pieces.length % 2 === 0 && /^[^\s]/.test(last) && opensWord(mark, pieces.at(-2));
    if (opens) closing = mark + closing;
  }
  const spaces = /\s+$/.exec(text);
  return spaces === null ? closing : '';
}

/** `snake_case` and `2*3` open nothing. */
const opensWord = (mark: string, before: string | undefined): boolean =>
  mark.length === 2 || before === undefined || before === '' || /[\s("'[*_~]$/.test(before);
