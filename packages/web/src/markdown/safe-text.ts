/*
 * Characters that are legal text and still lie about it, or break the layout around them. What a model, a tool or a
 * web page wrote goes through here before it is shown; what is copied is the text as it was.
 */

/** Embeddings, overrides and isolates: they reorder what stands around them ("Trojan source"). */
const REORDERING = /[\u202A-\u202E\u2066-\u2069]/g;
/** Marks stacked on one letter until they cover the lines above and below. Four are enough for every language. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;
/** Nothing to be seen, many times over: breaks the measuring of lines, and hides text. */
const INVISIBLE_RUN =
  /([\u200B-\u200F\u2060-\u2064\uFEFF\u00AD]{2})[\u200B-\u200F\u2060-\u2064\uFEFF\u00AD]+/g;
/** Control characters but tab and line feed. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;
/** Anything of the above: most text has none of it. */
const SUSPECT = /[\p{M}\p{Cf}]|(?![\t\n])\p{Cc}/u;

/** The same text, as it may be shown: controls that reorder it are made visible, the rest cannot break a layout. */
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

/** Unicode has pictures of the control characters: ␛. Carriage returns at the end of lines are nothing to look at. */
function controlPicture(char: string): string {
  const code = char.charCodeAt(0);
  if (code === 0x0d) return '';
  if (code === 0x7f) return '␡';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : codePoint(char);
}
