/*
 * What models and tools say is shown on a terminal, which obeys control sequences: they could change its title, its
 * clipboard or what was printed before, or type. So none gets through.
 */

const ESCAPE = '\u001B';
/** Strings that a terminal takes until their end: OSC, DCS, SOS, PM, APC; then CSI; then the short ones. */
const SEQUENCES = new RegExp(
  [
    `(?:${ESCAPE}[\\]PX^_]|[\\u009D\\u0090\\u0098\\u009E\\u009F])[^\\u0007\\u009C${ESCAPE}]*(?:\\u0007|\\u009C|${ESCAPE}\\\\)?`,
    `(?:${ESCAPE}\\[|\\u009B)[0-?]*[ -/]*[@-~]?`,
    `${ESCAPE}[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);
/** All but line break and tab; and what makes text be read in another order than it stands. */
const CONTROLS = /(?![\n\t])[\p{Cc}\u2028-\u202E\u2066-\u2069]/gu;

/** Text that does nothing to a terminal but stand on it. */
export function terminalText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(SEQUENCES, '').replaceAll(CONTROLS, '');
}

/** The formats of `style.ts`, one code each. Concealed and blinking text is not among them. */
const STYLES = new RegExp(`(${ESCAPE}\\[(?:[0-479]|2[2-479]|3[0-79])m)`);

/** Text with our own styles: every other sequence and control character is removed. The last check before a terminal. */
export function styledText(text: string): string {
  return text
    .split(STYLES)
    .map((part) => (STYLES.test(part) ? part : terminalText(part)))
    .join('');
}

/** Like `terminalText`, on one line. */
export function oneLine(text: string): string {
  return terminalText(text).replaceAll(/\s+/g, ' ').trim();
}
