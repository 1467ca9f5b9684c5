import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

export interface WrapOptions {
  /** Precedes the first line. */
  readonly first?: string;
  /** Precedes all other lines. Default: `first`. */
  readonly rest?: string;
  /** Keeps all spaces, as in code, and breaks lines where they are full. */
  readonly verbatim?: true;
  /** Styles each line, without its prefix. */
  readonly paint?: (line: string) => string;
}

const TAB = '    ';
const ASCII = /^[\u0020-\u007E]*$/;
const segmenter = new Intl.Segmenter();

export function graphemes(text: string): string[] {
  if (ASCII.test(text)) return text.split('');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Width in terminal columns, without styles. */
export const widthOf = (text: string): number =>
  ASCII.test(text) ? text.length : stringWidth(text);

/** Breaks text, which may be styled, at spaces, and within words that are longer than a line. */
export function wrap(
  text: string,
  width: number,
  { first = '', rest = first, verbatim, paint = (line) => line }: WrapOptions = {},
): string[] {
  const room = Math.max(2, width - Math.max(widthOf(first), widthOf(rest)));
  const breaksWords = verbatim === true;
  const options = { hard: true, wordWrap: !breaksWords, trim: !breaksWords };
  return wrapAnsi(text.replaceAll('\t', TAB), room, options)
    .split('\n')
    .map((line, index) => (index === 0 ? first : rest) + paint(line));
}
