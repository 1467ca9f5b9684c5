import type { StateInline } from 'markdown-it';
import { MARK } from '../citation.ts';

/** Inline formulas are short; a longer search would make parsing slower the longer the text is. */
const MATH_LIMIT = 600;

/** `$x$`, `$$x$$`, `\(x\)` and `\[x\]`. Amounts of money are excluded: no space inside, no digit after. */
export function inlineMath(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const mark = ['$$', '$', '\\(', '\\['].find((opening) => src.startsWith(opening, pos));
  if (mark === undefined) return false;
  const close = mark === '\\(' ? '\\)' : mark === '\\[' ? '\\]' : mark;
  const from = pos + mark.length;
  const within = src.slice(from, Math.min(state.posMax, from + MATH_LIMIT));
  const length = within.indexOf(close);
  if (length < 1) return false;
  const tex = within.slice(0, length);
  const end = from + length + close.length;
  if (mark === '$' && (/^\s|\s$|\n/.test(tex) || /^\d/.test(src.slice(end, end + 1)))) return false;
  if (!silent) {
    const token = state.push('math_inline', 'math', 0);
    token.content = tex;
    token.markup = mark;
  }
  state.pos = end;
  return true;
}

const BREAK_TAG = /^<br\s{0,3}\/?>/i;

/** The only HTML that models need: line breaks in table cells. */
export function lineBreakTag(state: StateInline, silent: boolean): boolean {
  const match = BREAK_TAG.exec(state.src.slice(state.pos, state.pos + 9));
  if (match === null) return false;
  if (!silent) state.push('hardbreak', 'br', 0);
  state.pos += match[0].length;
  return true;
}

/** A citation mark, see `citation.ts`. */
export function citationMark(state: StateInline, silent: boolean): boolean {
  const match = MARK.exec(state.src.slice(state.pos, state.pos + 8));
  if (match === null) return false;
  if (!silent) state.push('citation', 'sup', 0).content = match[1] ?? '';
  state.pos += match[0].length;
  return true;
}

const FOOTNOTE = /^\[\^([^\]\s]{1,40})\](:?)/;

/** `[^1]`, and `[^1]:` where the footnote starts. Without such a footnote it is text, like the pattern `[^a-z]`. */
export function footnoteReference(state: StateInline, silent: boolean): boolean {
  const match = FOOTNOTE.exec(state.src.slice(state.pos, state.pos + 45));
  const { footnotes } = state.env as { readonly footnotes?: ReadonlySet<string> };
  if (match === null || footnotes?.has(match[1] ?? '') !== true) return false;
  if (!silent) state.push('footnote_ref', 'sup', 0).content = match[1] ?? '';
  state.pos += match[0].length;
  return true;
}
