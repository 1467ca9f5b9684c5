import MarkdownIt, { type Env, type Token } from 'markdown-it';
import { markAlerts } from './alerts.ts';
import { citationMark, lineBreakTag, footnoteReference, inlineMath } from './inline-rules.ts';

/* markdown-it instead of Streamdown, which parses the whole message with every delta, depends on unified, and renders raw HTML that it must then sanitize. markdown-it stays linear on adversarial input and limits nesting: on 6 KB of such input marked takes up to 64 ms and overflows its stack, micromark takes 590 ms. On ordinary text markdown-it and marked are equal (0.25 ms/KB); micromark takes 8 times as long. */
const parser = new MarkdownIt({ html: false, linkify: true, breaks: false });
parser.set({ maxNesting: 20 });
// Links are checked when rendered, where their text stays readable.
parser.validateLink = () => true;
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
parser.inline.ruler.before('escape', 'math', inlineMath);
parser.inline.ruler.before('autolink', 'line_break_tag', lineBreakTag);
parser.inline.ruler.before('link', 'footnote', footnoteReference);
parser.inline.ruler.before('link', 'citation', citationMark);

parser.core.ruler.before('inline', 'alerts', markAlerts);

/** The targets of link reference definitions, and the labels of footnotes. */
export interface References extends Env {
  readonly footnotes?: ReadonlySet<string>;
}

const FOOTNOTE = /^ {0,3}\[\^([^\]\s]+)\]:/;

export function referencesOf(definitions: readonly string[]): References {
  const labels = definitions.map((line) => FOOTNOTE.exec(line)?.[1]);
  const references: References = {
    footnotes: new Set(labels.filter((label) => label !== undefined)),
  };
  const links = definitions.filter((_, at) => labels[at] === undefined);
  if (links.length > 0) parser.parse(links.join('\n'), references);
  return references;
}

export function parseBlock(text: string, references: References): Token[] {
  return parser.parse(text, { ...references });
}

/** Text within a paragraph: no block markup. */
export function parseInline(text: string, references: References): Token[] {
  return parser.parseInline(text, { ...references });
}
