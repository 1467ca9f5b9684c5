import MarkdownIt, { type Token } from 'markdown-it';
import type { Format, Style } from '../output/style.ts';
import { widthOf, wrap } from './wrap.ts';

export interface Page {
  readonly width: number;
  readonly style: Style;
}

const parser = new MarkdownIt({ html: true, linkify: true });
parser.set({ maxNesting: 20 });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** A token of markdown-it with the tokens inside it. */
export interface Node {
  /** Without `_open`. */
  readonly type: string;
  readonly token: Token;
  readonly children: Node[];
  /** Whether an empty line precedes it. */
  readonly spaced: boolean;
}

/** The top-level blocks. */
export function blocksOf(markdown: string): Node[] {
  const lines = markdown.split('\n');
  return treeOf(parser.parse(markdown, {}), ({ map }) =>
    map === null ? false : /^[\s>]*$/.test(lines[map[0] - 1] ?? '-'),
  );
}

function treeOf(tokens: readonly Token[], isSpaced: (token: Token) => boolean): Node[] {
  const roots: Node[] = [];
  const open: Node[] = [];
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop();
      continue;
    }
    const node: Node = {
      type: token.type.replace(/_open$/, ''),
      token,
      children: treeOf(token.children ?? [], isSpaced),
      spaced: isSpaced(token),
    };
    (open.at(-1)?.children ?? roots).push(node);
    if (token.nesting === 1) open.push(node);
  }
  return roots;
}

/** Renders a text, with an empty line between blocks. */
export function renderMarkdown(markdown: string, page: Page): string[] {
  const lines: string[] = [];
  for (const block of blocksOf(markdown)) {
    const rendered = renderBlock(block, page);
    if (lines.length > 0) lines.push('');
    lines.push(...rendered);
  }
  return lines;
}

/** Marks that a terminal cannot show are removed or kept as text. */
export function renderBlock(block: Node, page: Page): string[] {
  const { width, style } = page;
  const { type, token, children } = block;
  switch (type) {
    case 'heading': {
      const formats: Format[] = token.tag <= 'h2' ? ['bold', 'underline'] : ['bold'];
      return wrap(inline(children, formats, style), width);
    }
    case 'paragraph':
      return wrap(inline(children, [], style), width);
    case 'fence':
    case 'code_block':
      return code(token, page);
    case 'blockquote':
      return inset(children, page, style('dim', '│ '));
    case 'bullet_list':
    case 'ordered_list':
      return list(block, page);
    case 'table':
      return table(block, page);
    case 'hr':
      return [style('dim', '─'.repeat(Math.min(width, 40)))];
    default:
      return wrap(token.content.trimEnd(), width);
  }
}

export const isList = ({ type }: Node): boolean =>
  type === 'bullet_list' || type === 'ordered_list';

function code({ content, info }: Token, { width, style }: Page): string[] {
  const gutter = style('dim', '▏ ');
  const lines = wrap(content.replace(/\n$/, ''), width, {
    first: gutter,
    verbatim: true,
    paint: (line) => style('cyan', line),
  });
  return info === '' ? lines : [style('dim', `▏ ${info.trim()}`), ...lines];
}

/** Nested blocks, with a margin. */
function inset(blocks: readonly Node[], page: Page, first: string, rest = first): string[] {
  const inner = { ...page, width: Math.max(10, page.width - widthOf(first)) };
  const lines: string[] = [];
  for (const block of blocks) {
    if (lines.length > 0 && !isList(block)) lines.push('');
    lines.push(...renderBlock(block, inner));
  }
  return lines.map((line, index) => (index === 0 ? first : rest) + line);
}

const TASK = /^\[([ xX])\]\s/;

function list({ type, token, children }: Node, page: Page): string[] {
  const from = Number(token.attrGet('start') ?? 1);
  return children.flatMap((item, index) => {
    const number = type === 'ordered_list' ? `${from + index}. ` : '• ';
    const bullet = takeTaskBox(item) ?? number;
    const lines = inset(item.children, page, bullet, ' '.repeat(widthOf(bullet)));
    return index > 0 && item.spaced ? ['', ...lines] : lines;
  });
}

/** Removes the `[x]` of a task, and returns its box. */
function takeTaskBox({ children: [first] }: Node): string | undefined {
  const text = first?.children[0]?.children[0]?.token;
  const task = TASK.exec(text?.content ?? '');
  if (text === undefined || task === null) return undefined;
  text.content = text.content.slice(task[0].length);
  return task[1] === ' ' ? '☐ ' : '☑ ';
}

const GAP = 3;

/** In columns if they fit, else one line per cell. */
function table({ children: [head, body] }: Node, page: Page): string[] {
  const { width, style } = page;
  const rows = [...(head?.children ?? []), ...(body?.children ?? [])].map(
    ({ children }) => children,
  );
  const texts = rows.map((row, index) =>
    row.map((cell) => inline(cell.children, index === 0 ? ['bold'] : [], style)),
  );
  const [header = []] = rows;
  const widths = header.map((_, column) =>
    Math.max(...texts.map((row) => widthOf(row[column] ?? ''))),
  );
  const total = widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1);
  if (total > width) return stacked(texts, width);
  const isRight = header.map(({ token }) => token.attrGet('style') === 'text-align:right');
  const lines = texts.map((row) =>
    row
      .map((cell, column) => {
        const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
        return isRight[column] === true ? space + cell : cell + space;
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

function inline(nodes: readonly Node[], formats: readonly Format[], style: Style): string {
  const styled = (text: string, ...more: Format[]) => {
    const all = [...formats, ...more];
    return all.length === 0 ? text : style(all, text);
  };
  const render = ({ type, token, children }: Node): string => {
    const nested = (...more: Format[]) => inline(children, [...formats, ...more], style);
    switch (type) {
      case 'inline':
        return nested();
      case 'strong':
        return nested('bold');
      case 'em':
        return nested('italic');
      case 's':
        return nested('strikethrough');
      case 'code_inline':
        return styled(token.content, 'cyan');
      case 'softbreak':
        return ' ';
      case 'hardbreak':
        return '\n';
      case 'link':
        // Always shows the URL: the text of a link may mislead.
        return token.info === 'auto'
          ? nested('underline')
          : nested('underline') + styled(` (${token.attrGet('href')})`, 'dim');
      case 'image':
        return styled(`[${token.content || 'image'}] (${token.attrGet('src')})`);
      default:
        return styled(token.content);
    }
  };
  return nodes.map(render).join('');
}
