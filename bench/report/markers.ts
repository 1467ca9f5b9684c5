/*
 * Figures in Markdown stand between comments, which nobody sees on the rendered page:
 *
 *     <!-- figures: NAME -->                               a block, its comments on lines of their own
 *     | … |
 *     <!-- /figures -->
 *
 *     makes <!-- figure: NAME.KEY -->1,234<!-- /figure --> steps       within a line
 *
 * In code they mean nothing. A figure must not begin a line: Markdown takes a line that begins with a comment for HTML.
 */
const FENCED_CODE = /^(?<fence>`{3,}|~{3,})[^\n]*\n[\s\S]*?^\k<fence>$/;
const INLINE_CODE = /`[^`\n]+`/;
const BLOCK = /^<!-- figures: (?<block>\S+) -->\n(?:[\s\S]*?\n)??<!-- \/figures -->$/;
const BEGINS_A_LINE = /^[ >*+-]*<!-- figure: (?<first>\S+) -->/;
const FIGURE = /<!-- figure: (?<figure>\S+) -->[^\n]*?<!-- \/figure -->/;
const UNCLOSED = /<!-- figures?: (?<unclosed>\S+) -->/;
const ANY = new RegExp(
  [FENCED_CODE, INLINE_CODE, BLOCK, BEGINS_A_LINE, FIGURE, UNCLOSED]
    .map(({ source }) => source)
    .join('|'),
  'gm',
);

/** The text with everything between markers written anew. `block` and `figure` throw when they know no such name. */
export function rewriteFigures(
  markdown: string,
  known: { readonly block: (name: string) => string; readonly figure: (name: string) => string },
): string {
  return markdown.replaceAll(ANY, (all: string, ...rest: unknown[]) => {
    const { block, figure, first, unclosed } = rest.at(-1) as Readonly<
      Record<string, string | undefined>
    >;
    if (block !== undefined) {
      return `<!-- figures: ${block} -->\n\n${known.block(block).trim()}\n\n<!-- /figures -->`;
    }
    if (figure !== undefined) {
      return `<!-- figure: ${figure} -->${known.figure(figure)}<!-- /figure -->`;
    }
    if (first !== undefined) {
      throw new Error(`the figure ${first} begins a line, which makes HTML of it: move a word`);
    }
    if (unclosed !== undefined) throw new Error(`the figures of \`${unclosed}\` have no end`);
    return all;
  });
}
