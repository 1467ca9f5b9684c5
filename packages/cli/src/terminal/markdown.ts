import { Marked, type Token, type Tokens } from 'marked';
import type { Format, Style } from '../output/style.ts';
import { widthOf, wrap } from './wrap.ts';

export interface Page {
  readonly width: number;
  readonly style: Style;
}

const marked = new Marked({ gfm: true });

export const blocksOf = (markdown: string): Token[] => marked.lexer(markdown);

/** Renders a text, with an empty line between blocks. */
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

/** Marks that a terminal cannot show are removed or kept as text. */
export function renderBlock(token: Token, page: Page): string[] {
  const { width, style } = page;
  switch (token.type) {
    case 'heading': {
      const heading = token as Tokens.Heading;
      const formats: Format[] = heading.depth <= 2 ? ['bold', 'underline'] : ['bold'];
      return wrap(inline(heading.tokens, formats, style), width);
    }
    case 'paragraph':
      return wrap(inline((token as Tokens.Paragraph).tokens, [], style), width);
    case 'text':
      return wrap(inlineOf(token, style), width);
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
      return wrap(token.raw.trimEnd(), width);
  }
}

function code({ text, lang }: Tokens.Code, { width, style }: Page): string[] {
  const gutter = style('dim', '▏ ');
  const lines = wrap(text, width, {
    first: gutter,
    verbatim: true,
    paint: (line) => style('cyan', line),
  });
  return lang === undefined || lang === '' ? lines : [style('dim', `▏ ${lang}`), ...lines];
}

/** Nested blocks, with a margin. */
function inset(blocks: readonly Token[], page: Page, first: string, rest = first): string[] {
  const inner = { ...page, width: Math.max(10, page.width - widthOf(first)) };
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

/** Whether an empty line follows. */
export const endsWithSpace = (raw: string | undefined): boolean => /\n[ \t]*\n$/.test(raw ?? '');

/** A list without its last item, which may still grow. Undefined if there is no other item. */
export function finishedItems(token: Token): Tokens.List | undefined {
  if (token.type !== 'list') return undefined;
  const whole = token as Tokens.List;
  const items = whole.items.slice(0, -1);
  if (items.length === 0) return undefined;
  return { ...whole, items, raw: items.map(({ raw }) => raw).join('') };
}

const GAP = 3;

/** In columns if they fit, else one line per cell. */
function tableOf({ header, rows, align }: Tokens.Table, page: Page): string[] {
  const { width, style } = page;
  const texts = [header, ...rows].map((row, index) =>
    row.map(({ tokens }) => inline(tokens, index === 0 ? ['bold'] : [], style)),
  );
  const widths = header.map((_, column) =>
    Math.max(...texts.map((row) => widthOf(row[column] ?? ''))),
  );
  const total = widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1);
  if (total > width) return stacked(texts, width);
  const lines = texts.map((row) =>
    row
      .map((cell, column) => {
        const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
        return align[column] === 'right' ? space + cell : cell + space;
      })
      .join(style('dim', ' │ '))
      .trimEnd(),
  );
  const rule = style('dim', widths.map((one) => '─'.repeat(one)).join('─┼─'));
  return [lines[0] ?? '', rule, ...lines.slice(1)];
}

function stacked([header = [], ...rows]: string[][], width: number): string[] {
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [''] : []),
    ...row.flatMap((cell, column) =>
      wrap(`${header[column] ?? ''}: ${cell}`, width, { first: '', rest: '  ' }),
    ),
  ]);
}

const inlineOf = (token: Token, style: Style): string =>
  'tokens' in token && token.tokens !== undefined
    ? inline(token.tokens, [], style)
    : (token as Tokens.Text).text;

function inline(tokens: readonly Token[], formats: readonly Format[], style: Style): string {
  const nested = (inner: readonly Token[], ...more: Format[]) =>
    inline(inner, [...formats, ...more], style);
  const styled = (text: string, ...more: Format[]) => {
    const all = [...formats, ...more];
    return all.length === 0 ? text : style(all, text);
  };
  const render = (token: Token): string => {
    switch (token.type) {
      case 'strong':
        return nested((token as Tokens.Strong).tokens, 'bold');
      case 'em':
        return nested((token as Tokens.Em).tokens, 'italic');
      case 'del':
        return nested((token as Tokens.Del).tokens, 'strikethrough');
      case 'codespan':
        return styled((token as Tokens.Codespan).text, 'cyan');
      case 'br':
        return '\n';
      case 'link': {
        const { tokens: inner, href, text } = token as Tokens.Link;
        if (text === href || `mailto:${text}` === href) return styled(href, 'underline');
        // Always shows the URL: the text of a link may mislead.
        return nested(inner, 'underline') + styled(` (${href})`, 'dim');
      }
      case 'image': {
        const { text, href } = token as Tokens.Image;
        return styled(`[${text === '' ? 'image' : text}] (${href})`);
      }
      case 'escape':
        return styled((token as Tokens.Escape).text);
      case 'text': {
        const { tokens: inner, text } = token as Tokens.Text;
        return inner === undefined ? styled(text.replaceAll('\n', ' ')) : nested(inner);
      }
      default:
        return styled(token.raw);
    }
  };
  return tokens.map(render).join('');
}
