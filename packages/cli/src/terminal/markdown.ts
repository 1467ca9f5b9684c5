import { Marked, type Token, type Tokens } from 'marked';
import type { Format, Style } from '../output/style.ts';
import { type Span, span, widthOf, widthOfStyled, wrap } from './wrap.ts';

export interface Page {
  readonly width: number;
  readonly style: Style;
}

const marked = new Marked({ gfm: true });

export const blocksOf = (markdown: string): Token[] => marked.lexer(markdown);

/** A whole text as lines, with an empty one between blocks. */
export function renderMarkdown(markdown: string, page: Page): string[] {
  const lines: string[] = [];
  for (const block of blocksOf(markdown)) {
    const rendered = renderBlock(block, page);
    if (rendered.length === 0) continue;
    if (lines.length > 0) lines.push('');
    lines.push(...rendered);
  }
  return lines;
}

/** Markdown that has been read stays readable: marks that a terminal cannot show are left away or kept as text. */
export function renderBlock(token: Token, page: Page): string[] {
  const { width, style } = page;
  switch (token.type) {
    case 'heading': {
      const heading = token as Tokens.Heading;
      const look: Format[] = heading.depth <= 2 ? ['bold', 'underline'] : ['bold'];
      return wrap(inline(heading.tokens, look), width, style);
    }
    case 'paragraph':
      return wrap(inline((token as Tokens.Paragraph).tokens, []), width, style);
    case 'text':
      return wrap(inlineOf(token), width, style);
    case 'code':
      return code(token as Tokens.Code, page);
    case 'blockquote':
      return inset((token as Tokens.Blockquote).tokens, page, style('dim', '│ '));
    case 'list':
      return list(token as Tokens.List, page);
    case 'table':
      return tableOf(token as Tokens.Table, page);
    case 'hr':
      return [style('dim', '─'.repeat(Math.min(width, 40)))];
    case 'space':
    case 'def':
      return [];
    default:
      return wrap([span(token.raw.trimEnd())], width, style);
  }
}

function code({ text, lang }: Tokens.Code, { width, style }: Page): string[] {
  const gutter = style('dim', '▏ ');
  const lines = text
    .split('\n')
    .flatMap((line) => wrap([span(line, 'cyan')], width, style, { first: gutter, verbatim: true }));
  return lang === undefined || lang === '' ? lines : [style('dim', `▏ ${lang}`), ...lines];
}

/** Blocks below another one, with a margin. */
function inset(blocks: readonly Token[], page: Page, first: string, rest = first): string[] {
  const inner = { ...page, width: Math.max(10, page.width - widthOfStyled(first)) };
  const lines: string[] = [];
  for (const block of blocks) {
    const rendered = renderBlock(block, inner);
    if (rendered.length > 0 && lines.length > 0 && block.type !== 'list') lines.push('');
    lines.push(...rendered);
  }
  return lines.map((line, index) => (index === 0 ? first : rest) + line);
}

function list({ items, ordered, start }: Tokens.List, page: Page): string[] {
  const from = typeof start === 'number' ? start : 1;
  return items.flatMap((item, index) => {
    const box = item.task ? (item.checked === true ? '☑ ' : '☐ ') : '';
    const bullet = box === '' ? (ordered ? `${from + index}. ` : '• ') : box;
    const blocks = item.tokens.filter(({ type }) => type !== 'checkbox');
    const lines = inset(blocks, page, bullet, ' '.repeat(widthOf(bullet)));
    return endsWithSpace(items[index - 1]?.raw) ? ['', ...lines] : lines;
  });
}

/** There is an empty line between it and what follows. */
export const endsWithSpace = (raw: string | undefined): boolean => /\n[ \t]*\n$/.test(raw ?? '');

/** A list without its last item, which may still grow; undefined when there is no other. */
export function grownItems(token: Token): Tokens.List | undefined {
  if (token.type !== 'list') return undefined;
  const whole = token as Tokens.List;
  const items = whole.items.slice(0, -1);
  if (items.length === 0) return undefined;
  return { ...whole, items, raw: items.map(({ raw }) => raw).join('') };
}

const GAP = 3;

/** In columns where it fits; a line for each cell where it does not. */
function tableOf({ header, rows, align }: Tokens.Table, page: Page): string[] {
  const { width, style } = page;
  const texts = [header, ...rows].map((row) => row.map(({ tokens }) => inline(tokens, [])));
  const lengths = header.map((_, column) =>
    Math.max(...texts.map((row) => widthOfSpans(row[column] ?? []))),
  );
  const total = lengths.reduce((sum, one) => sum + one, 0) + GAP * (lengths.length - 1);
  if (total > width) return stacked(texts, page);
  const separator = style('dim', ' │ ');
  const lines = texts.map((row, index) =>
    row
      .map((cell, column) => {
        const [text = ''] = wrap(index === 0 ? cell.map(bold) : cell, width, style);
        const space = ' '.repeat((lengths[column] ?? 0) - widthOfSpans(cell));
        return align[column] === 'right' ? space + text : text + space;
      })
      .join(separator)
      .trimEnd(),
  );
  const rule = style('dim', lengths.map((one) => '─'.repeat(one)).join('─┼─'));
  return [lines[0] ?? '', rule, ...lines.slice(1)];
}

function stacked([header = [], ...rows]: Span[][][], { width, style }: Page): string[] {
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [''] : []),
    ...row.flatMap((cell, column) =>
      wrap([...(header[column] ?? []).map(bold), span(': '), ...cell], width, style, {
        first: '',
        rest: '  ',
      }),
    ),
  ]);
}

const bold = ({ text, formats }: Span): Span => ({ text, formats: [...formats, 'bold'] });

const widthOfSpans = (spans: readonly Span[]) =>
  spans.reduce((sum, { text }) => sum + widthOf(text), 0);

function inlineOf(token: Token): Span[] {
  return 'tokens' in token && token.tokens !== undefined
    ? inline(token.tokens, [])
    : [span((token as Tokens.Text).text)];
}

function inline(tokens: readonly Token[], formats: readonly Format[]): Span[] {
  return tokens.flatMap((token): Span[] => {
    switch (token.type) {
      case 'strong':
        return inline((token as Tokens.Strong).tokens, [...formats, 'bold']);
      case 'em':
        return inline((token as Tokens.Em).tokens, [...formats, 'italic']);
      case 'del':
        return inline((token as Tokens.Del).tokens, [...formats, 'strikethrough']);
      case 'codespan':
        return [{ text: (token as Tokens.Codespan).text, formats: [...formats, 'cyan'] }];
      case 'br':
        return [span('\n')];
      case 'link':
        return link(token as Tokens.Link, formats);
      case 'image': {
        const { text, href } = token as Tokens.Image;
        return [{ text: `[${text === '' ? 'image' : text}] (${href})`, formats }];
      }
      case 'escape':
        return [{ text: (token as Tokens.Escape).text, formats }];
      case 'text': {
        const { tokens: inner, text } = token as Tokens.Text;
        if (inner !== undefined) return inline(inner, formats);
        return [{ text: text.replaceAll('\n', ' '), formats }];
      }
      default:
        return [{ text: token.raw, formats }];
    }
  });
}

/** The address is always shown: nobody should have to trust what a model calls it. */
function link({ tokens, href, text }: Tokens.Link, formats: readonly Format[]): Span[] {
  if (text === href || `mailto:${text}` === href) {
    return [{ text: href, formats: [...formats, 'underline'] }];
  }
  return [
    ...inline(tokens, [...formats, 'underline']),
    { text: ` (${href})`, formats: [...formats, 'dim'] },
  ];
}
