import {
  detailsDepth,
  type FenceLine,
  fenceOpening,
  indentOf,
  interrupts,
  isBlank,
  isDelimiterRow,
  isHeading,
  isListItem,
  isOuterItem,
  isQuote,
  isRule,
  isUnderline,
  mathOpening,
  opensDetails,
} from './line-kind.ts';

/** The state of the open block that decides about the next line. */
export type BlockMode =
  | { readonly kind: 'none' }
  | { readonly kind: 'paragraph'; readonly lines: number }
  /** `blank`: the previous line was empty, so only indented lines belong to the item. */
  | { readonly kind: 'list'; readonly blank: boolean }
  | { readonly kind: 'quote' }
  /** With the header rows that each piece of a long table repeats. */
  | { readonly kind: 'table'; readonly header: string }
  | { readonly kind: 'math'; readonly close: string }
  /** Up to the end of the outermost `<details>`. */
  | { readonly kind: 'details'; readonly depth: number }
  | ({ readonly kind: 'code' } & FenceLine);

/** `last`: the line belongs to the block and ends it. `other`: the line starts another block. */
export type Continuation = BlockMode | 'last' | 'other';

/** Longer lists are split between items. */
const LIST_LIMIT = 1500;

/** How the open block continues with a line. */
export function continues(mode: BlockMode, before: string, line: string): Continuation {
  switch (mode.kind) {
    case 'none':
    case 'code':
      return 'other';
    case 'math':
      return line.includes(mode.close) ? 'last' : mode;
    case 'details': {
      const depth = mode.depth + detailsDepth(line);
      return depth > 0 ? { kind: 'details', depth } : 'last';
    }
    case 'table':
    case 'quote':
      if (isBlank(line)) return 'other';
      if (mode.kind === 'quote' && isQuote(line)) return mode;
      return interrupts(line) ? 'other' : mode;
    case 'list':
      return continuesList(mode.blank, before, line);
    case 'paragraph':
      if (isBlank(line)) return 'other';
      if (mode.lines === 1 && before.includes('|') && isDelimiterRow(line)) {
        return { kind: 'table', header: `${before}${line}\n` };
      }
      if (isUnderline(line)) return 'last';
      return interrupts(line) ? 'other' : { kind: 'paragraph', lines: mode.lines + 1 };
  }
}

function continuesList(blank: boolean, before: string, line: string): Continuation {
  if (isBlank(line)) return { kind: 'list', blank: true };
  if (isOuterItem(line) && before.length > LIST_LIMIT) return 'other';
  if (isListItem(line) || indentOf(line) >= 2) return { kind: 'list', blank: false };
  return blank || interrupts(line) ? 'other' : { kind: 'list', blank: false };
}

export interface BlockStart {
  readonly mode: BlockMode;
  /** The line is the whole block. */
  readonly single: boolean;
}

export function blockStartOf(line: string): BlockStart {
  const single = isHeading(line) || isRule(line);
  if (single) return { mode: { kind: 'paragraph', lines: 1 }, single };
  if (isBlank(line)) return { mode: { kind: 'none' }, single: false };
  const fence = fenceOpening(line);
  if (fence !== undefined) return { mode: { kind: 'code', ...fence }, single };
  const math = mathOpening(line);
  if (math !== undefined) return mathBeginning(line.trim(), math);
  if (opensDetails(line)) {
    const depth = detailsDepth(line);
    return { mode: { kind: 'details', depth }, single: depth <= 0 };
  }
  if (isQuote(line)) return { mode: { kind: 'quote' }, single };
  if (isListItem(line)) return { mode: { kind: 'list', blank: false }, single };
  return { mode: { kind: 'paragraph', lines: 1 }, single };
}

/** Display math may end on its first line; followed by text, it is part of a paragraph. */
function mathBeginning(
  line: string,
  { open, close }: { readonly open: string; readonly close: string },
): BlockStart {
  const end = line.indexOf(close, open.length);
  if (end === -1) return { mode: { kind: 'math', close }, single: false };
  return end === line.length - close.length
    ? { mode: { kind: 'math', close }, single: true }
    : { mode: { kind: 'paragraph', lines: 1 }, single: false };
}
