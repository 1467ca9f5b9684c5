/* Neutralizes characters that misrepresent text or break the layout around it. Applied to everything that models, tools and web pages wrote before it is shown. Copying yields the original text. */

/** Bidirectional controls, which reorder the text around them ("Trojan Source"). */
const REORDERING = /[\u202A-\u202E\u2066-\u2069]/g;
/** Combining marks stacked over adjacent lines. Four are enough for every language. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;
/** Runs of invisible characters, which break line measuring and hide text. */
const INVISIBLE_RUN =
  /([\u200B-\u200F\u2060-\u2064\uFEFF\u00AD]{2})[\u200B-\u200F\u2060-\u2064\uFEFF\u00AD]+/g;
/** Control characters except tab and line feed. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;
/** Matches any of the above: most text has none. */
const SUSPECT = /[\p{M}\p{Cf}]|(?![\t\n])\p{Cc}/u;

/** Makes bidirectional controls visible and limits the rest. */
export function safeText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .replace(REORDERING, codePoint)
    .replace(STACKED_MARKS, '$1')
    .replace(INVISIBLE_RUN, '$1')
    .replace(CONTROLS, controlPicture);
}

const codePoint = (char: string): string =>
  `⟨U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** Unicode has pictures for control characters: ␛. Carriage returns at line ends are dropped. */
function controlPicture(char: string): string {
  const code = char.charCodeAt(0);
  if (code === 0x0d) return '';
  if (code === 0x7f) return '␡';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : codePoint(char);
}
