const MOST_WORDS = 8;
/** Longer responses are not titles and cannot be cut to one. */
const NO_TITLE_WORDS = 16;
const LONGEST = 80;

const THOUGHTS = /<(think|thinking|reasoning)>[\s\S]*?(<\/\1>|$)/gi;
/** The end of a reasoning block whose opening tag is missing. */
const CLOSED_THOUGHT = /^[\s\S]*<\/(think|thinking|reasoning)>/i;
const TAGS = /<\/?[a-z][^>\n]*>/gi;
const LABEL = /^(?:the )?(?:chat |conversation )?title(?: is)?\s*[:：-]\s*/i;
const BLOCK_MARKS = /^(?:#{1,6}\s+|[-*+]\s+|>\s*|\d+[.)]\s+)+/;
const LINK = /\[([^\]]*)\]\([^)]*\)/g;
const EMPHASIS = /\*\*|__|~~|`+|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)/g;
const WRAPPING = /^["'“”„«»‘’`([{<]+|["'“”„«»‘’`)\]}>]+$/gu;
const TRAILING = /[\s.,;:…。、，；：-]+$/u;

/** The title in a response. Undefined: none. */
export function cleanTitle(answer: string): string | undefined {
  const said = answer.replaceAll(THOUGHTS, '').replace(CLOSED_THOUGHT, '').replaceAll(TAGS, '');
  const line = said
    .split(/\r?\n|\r|\u2028|\u2029/)
    .map(bare)
    .find((text) => /[\p{L}\p{N}]/u.test(text));
  if (line === undefined) return undefined;
  const words = line.split(' ');
  if (words.length > NO_TITLE_WORDS) return undefined;
  return shortened(words);
}

function bare(line: string): string {
  const text = line
    .replaceAll(/\p{Cc}/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(BLOCK_MARKS, '')
    .replaceAll(LINK, '$1')
    .replaceAll(EMPHASIS, '')
    .replace(LABEL, '');
  return unwrapped(text);
}

/** Quotes can be inside or outside of the full stop. */
function unwrapped(text: string): string {
  const opened = /^["'“”„«»‘’`([{<]/u.test(text);
  const stopped = text.replace(TRAILING, '');
  const next = (opened ? stopped.replaceAll(WRAPPING, '') : stopped).trim();
  return next === text ? text : unwrapped(next);
}

function shortened(words: readonly string[]): string {
  const title = words.slice(0, MOST_WORDS).join(' ');
  const points = Array.from(title);
  if (words.length <= MOST_WORDS && points.length <= LONGEST) return title;
  const cut = points.length <= LONGEST ? title : points.slice(0, LONGEST).join('');
  return cut.replace(TRAILING, '');
}
