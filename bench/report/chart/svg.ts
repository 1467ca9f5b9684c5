/*
 * Charts are self-contained SVG files that follow the color scheme of the reader and have a text alternative.
 */
export const WIDTH = 720;
export const LINE_HEIGHT = 20;

/** The colors differ in lightness and hue. The first is for chatd. */
export const SERIES_COLORS = 6;

const STYLE = `
text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #59636e; }
.title { font-size: 15px; font-weight: 600; fill: #1f2328; }
.strong { font-weight: 600; fill: #1f2328; }
.small { font-size: 11px; }
.grid { stroke: #d1d9e0; stroke-width: 1; }
.axis { stroke: #818b98; stroke-width: 1; }
.mark { stroke: #818b98; stroke-width: 1; stroke-dasharray: 3 3; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.s0 { --c: #0969da; } .s1 { --c: #bc4c00; } .s2 { --c: #1a7f37; }
.s3 { --c: #bf3989; } .s4 { --c: #8250df; } .s5 { --c: #7d8590; }
.line { stroke: var(--c); } .fill { fill: var(--c); }
.rest { fill: #afb8c1; }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1; }
  .title, .strong { fill: #f0f6fc; }
  .grid { stroke: #2f353d; }
  .axis, .mark { stroke: #656c76; }
  .s0 { --c: #4493f8; } .s1 { --c: #f0883e; } .s2 { --c: #3fb950; }
  .s3 { --c: #f778ba; } .s4 { --c: #ab7df8; } .s5 { --c: #9198a1; }
  .rest { fill: #565e67; }
}`.trim();

export interface Described {
  readonly title: string;
  /** Text alternative in one or two sentences. */
  readonly description: string;
}

export function svgDocument(
  { title, description }: Described,
  height: number,
  drawn: readonly string[],
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${round(height)}" width="${WIDTH}" height="${round(height)}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escape(title)}</title>`,
    `<desc id="description">${escape(description)}</desc>`,
    `<style>${STYLE}</style>`,
    text({ x: 0, y: 18, className: 'title' }, title),
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

export function text(
  {
    x,
    y,
    anchor = 'start',
    className,
  }: {
    readonly x: number;
    readonly y: number;
    readonly anchor?: 'start' | 'middle' | 'end';
    readonly className?: string;
  },
  words: string,
): string {
  const anchored = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  const styled = className === undefined ? '' : ` class="${className}"`;
  return `<text x="${round(x)}" y="${round(y)}"${anchored}${styled}>${escape(words)}</text>`;
}

export function line(
  className: string,
  [x1, y1, x2, y2]: readonly [number, number, number, number],
): string {
  return `<line class="${className}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
}

/** Rounds to a tenth of a pixel. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Approximate width, to decide whether a label fits. */
export function widthOf(words: string): number {
  return words.length * 7.6;
}

function escape(words: string): string {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
