/*
 * Figures in Markdown are delimited by comments, which are invisible on the rendered page:
 *
 *     <!-- figures: NAME -->                               a block; each comment on its own line
 *     | … |
 *     <!-- /figures -->
 *
 *     makes <!-- figure: NAME.KEY -->1,234<!-- /figure --> steps       within a line
 *
 * Markers in code are ignored. A figure must not start a line: Markdown parses a line that starts with a comment as HTML.
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

/** Replaces everything between markers. `block` and `figure` throw on an unknown name. */
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
      throw new Error(
        `the figure ${first} starts a line, so Markdown treats the line as HTML: put a word before it`,
      );
    }
    if (unclosed !== undefined) throw new Error(`the marker \`${unclosed}\` has no closing marker`);
    return all;
  });
}
