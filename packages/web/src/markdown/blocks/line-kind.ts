/** What a line starts, judged by the line alone: enough to find block boundaries without parsing their content. */

const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const QUOTE = /^ {0,3}>/;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\n]*)$/;
const MATH = /^ {0,3}(\$\$|\\\[)/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*\S/;

export const isBlank = (line: string): boolean => line.trim() === '';
export const isListItem = (line: string): boolean => LIST_ITEM.test(line) && !RULE.test(line);
/** For the outermost list: lines indented by two or more belong to an item. */
export const isOuterItem = (line: string): boolean => isListItem(line) && indentOf(line) < 2;
export const isQuote = (line: string): boolean => QUOTE.test(line);
export const isRule = (line: string): boolean => RULE.test(line);
export const isHeading = (line: string): boolean => HEADING.test(line);
/** Below a paragraph it makes a heading. */
export const isUnderline = (line: string): boolean => UNDERLINE.test(line);
export const isDelimiterRow = (line: string): boolean =>
  line.includes('-') && line.includes('|') && line.length < 2000 && DELIMITERS.test(line);
export const isDefinition = (line: string): boolean => line.length < 2000 && DEFINITION.test(line);

export function indentOf(line: string): number {
  let width = 0;
  for (const char of line) {
    if (char === ' ') width += 1;
    else if (char === '\t') width += 4;
    else break;
  }
  return width;
}

export interface FenceLine {
  readonly mark: string;
  readonly language: string;
}

/** A line that opens a code block. */
export function fenceOpening(line: string): FenceLine | undefined {
  const match = line.length < 1000 ? FENCE.exec(line) : null;
  const [, mark = '', info = ''] = match ?? [];
  if (match === null || (mark.startsWith('`') && info.includes('`'))) return undefined;
  return { mark, language: /^[^\s{:,]*/.exec(info.trim())?.[0].slice(0, 40) ?? '' };
}

/** At least as long as the opening fence, and followed by nothing. */
export function closesFence(line: string, mark: string): boolean {
  const trimmed = line.trim();
  return (
    indentOf(line) < 4 &&
    trimmed.length >= mark.length &&
    trimmed === (mark[0] ?? '`').repeat(trimmed.length)
  );
}

/** `$$` or `\[`, and its end. */
export function mathOpening(
  line: string,
): { readonly open: string; readonly close: string } | undefined {
  const open = MATH.exec(line)?.[1];
  if (open === undefined) return undefined;
  return { open, close: open === '$$' ? '$$' : '\\]' };
}

const DETAILS = /^ {0,3}<details(?:[ \t]+open(?:="")?)?[ \t]*>/i;

export const opensDetails = (line: string): boolean => DETAILS.test(line);

/** How many `<details>` a line opens, less those it closes. */
export const detailsDepth = (line: string): number =>
  (line.match(/<details\b/gi)?.length ?? 0) - (line.match(/<\/details>/gi)?.length ?? 0);

/** Only 1 can interrupt a paragraph: "1999." at the start of a line is text. */
const INTERRUPTING_ITEM = /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/;

/** Starts a block even right below a paragraph. */
export const interrupts = (line: string): boolean =>
  isHeading(line) ||
  isRule(line) ||
  isQuote(line) ||
  opensDetails(line) ||
  INTERRUPTING_ITEM.test(line) ||
  fenceOpening(line) !== undefined ||
  mathOpening(line) !== undefined;
