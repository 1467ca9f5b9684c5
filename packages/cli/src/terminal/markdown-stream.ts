import { terminalText } from '../output/terminal-text.ts';
import { blocksOf, isList, type Node, type Page, renderBlock } from './markdown.ts';

/** Blocks that an empty line ends; lists, quotes, and indented code may continue. */
const CLOSED_BY_SPACE = new Set(['paragraph', 'heading', 'fence', 'hr', 'table']);

/** Renders Markdown as it arrives. `push` returns blocks that cannot change any more, `live` renders the rest. */
export class MarkdownStream {
  #raw = '';
  /** The text that is not final yet. */
  #rest = '';
  #blocks = 0;
  /** The last final block was part of a list, so that the next item follows without an empty line. */
  #joins = false;

  /** All text so far. */
  get text(): string {
    return this.#raw;
  }

  /** Whether a block is final. */
  get begun(): boolean {
    return this.#blocks > 0;
  }

  /** Returns final lines. */
  push(delta: string, page: Page): string[] {
    this.#raw += delta;
    // A control sequence in two pieces loses its beginning; the rest is text.
    this.#rest = terminalText(this.#rest + delta);
    // The last line may still change the kind of its block.
    const whole = this.#rest.slice(0, this.#rest.lastIndexOf('\n') + 1);
    const blocks = blocksOf(whole);
    const last = blocks.at(-1);
    const open = last === undefined || isClosed(last, whole) ? undefined : last;
    const lines = blocks
      .filter((block) => block !== open)
      .flatMap((block) => this.#finalLines(block, page));
    const item = open !== undefined && isList(open) ? open.children.at(-1) : undefined;
    if (open !== undefined && item !== undefined && open.children.length > 1) {
      // All items but the last, which may still grow.
      lines.push(...this.#finalLines({ ...open, children: open.children.slice(0, -1) }, page));
      this.#joins = !item.spaced;
    }
    const end = (item ?? open)?.token.map?.[0] ?? last?.token.map?.[1] ?? 0;
    this.#rest = this.#rest.split('\n').slice(end).join('\n');
    return lines;
  }

  /** Returns the rest. */
  finish(page: Page): string[] {
    const lines = blocksOf(this.#rest).flatMap((block) => this.#finalLines(block, page));
    this.#rest = '';
    return lines;
  }

  /** Renders the text that is not final yet. */
  live(page: Page): string[] {
    return blocksOf(this.#rest).flatMap((block, index) => {
      const joins = index === 0 && (this.#blocks === 0 || (this.#joins && isList(block)));
      return joins ? renderBlock(block, page) : ['', ...renderBlock(block, page)];
    });
  }

  #finalLines(block: Node, page: Page): string[] {
    const joins = this.#blocks === 0 || (this.#joins && isList(block));
    this.#joins = false;
    this.#blocks += 1;
    return joins ? renderBlock(block, page) : ['', ...renderBlock(block, page)];
  }
}

/** Whether following text cannot change the last block of a text. */
function isClosed({ type, token }: Node, text: string): boolean {
  return CLOSED_BY_SPACE.has(type) && text.split('\n').length - 1 > (token.map?.[1] ?? 0);
}
