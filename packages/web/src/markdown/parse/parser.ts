import MarkdownIt, { type Env, type Token } from 'markdown-it';
import { citationMark, lineBreakTag, footnoteReference, inlineMath } from './inline-rules.ts';

/*
 * markdown-it, and not Streamdown: the latter reads the whole message again with every delta (its splitter lexes all of it),
 * brings unified and its plugins, and renders raw HTML that it then has to sanitise. Of the parsers, markdown-it stays linear
 * on input that is made to be slow, and limits nesting; on 6 KB of such input marked needs up to 64 ms and overflows its stack,
 * micromark 590 ms. Ordinary text costs the same in markdown-it and marked (0.25 ms/KB), 8 times as much in micromark.
 */
const parser = new MarkdownIt({ html: false, linkify: true, breaks: false });
parser.set({ maxNesting: 20 });
// What a link may lead to is decided when it is drawn, where the text stays readable.
parser.validateLink = () => true;
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
parser.inline.ruler.before('escape', 'math', inlineMath);
parser.inline.ruler.before('autolink', 'line_break_tag', lineBreakTag);
parser.inline.ruler.before('link', 'footnote', footnoteReference);
parser.inline.ruler.before('link', 'citation', citationMark);

/** Where links with a label lead, from lines like `[label]: target`. */
export type References = Env;

export function referencesOf(definitions: readonly string[]): References {
  const references: References = {};
  if (definitions.length > 0) parser.parse(definitions.join('\n'), references);
  return references;
}

export function parseBlock(text: string, references: References): Token[] {
  return parser.parse(text, { ...references });
}

/** Text in the middle of a paragraph: nothing in it begins a block. */
export function parseInline(text: string, references: References): Token[] {
  return parser.parseInline(text, { ...references });
}
