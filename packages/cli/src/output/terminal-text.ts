/*
 * Output of models and tools is printed to a terminal. Control sequences in it could change the title, the clipboard or
 * earlier output, or type input. All of them are removed.
 */

const ESCAPE = '\u001B';
/** Terminated strings (OSC, DCS, SOS, PM, APC), then CSI, then short sequences. */
const SEQUENCES = new RegExp(
  [
    `(?:${ESCAPE}[\\]PX^_]|[\\u009D\\u0090\\u0098\\u009E\\u009F])[^\\u0007\\u009C${ESCAPE}]*(?:\\u0007|\\u009C|${ESCAPE}\\\\)?`,
    `(?:${ESCAPE}\\[|\\u009B)[0-?]*[ -/]*[@-~]?`,
    `${ESCAPE}[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);
/** All control characters but line break and tab, and those that change the direction of text. */
const CONTROLS = /(?![\n\t])[\p{Cc}\u2028-\u202E\u2066-\u2069]/gu;

/** Text without control sequences. */
export function terminalText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(SEQUENCES, '').replaceAll(CONTROLS, '');
}

/** The codes of `style.ts`, which exclude concealed and blinking text. */
const STYLES = new RegExp(`(${ESCAPE}\\[(?:[0-479]|2[2-479]|3[0-79])m)`);

/** Text whose only control sequences are those of `style.ts`. The last filter before a terminal. */
export function styledText(text: string): string {
  return text
    .split(STYLES)
    .map((part) => (STYLES.test(part) ? part : terminalText(part)))
    .join('');
}

/** `terminalText` on one line. */
export function oneLine(text: string): string {
  return terminalText(text).replaceAll(/\s+/g, ' ').trim();
}
