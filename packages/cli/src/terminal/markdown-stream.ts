import type { Token } from 'marked';
import { terminalText } from '../output/terminal-text.ts';
import { blocksOf, endsWithSpace, grownItems, type Page, renderBlock } from './markdown.ts';

/** After an empty line these are over; lists and quotes may go on. */
const CLOSED_BY_SPACE = new Set(['paragraph', 'heading', 'code', 'hr', 'table']);

/**
 * Markdown that is still being written. A block that cannot change any more is given out, once; the last one is
 * shown by `live` as it is so far.
 */
export class MarkdownStream {
  #raw = '';
  /** What is not given out yet. */
  #rest = '';
  #blocks = 0;
  /** What was given out last was a part of a list: the next item follows at once, unless there was an empty line. */
  #joins = false;

  /** All that came so far, as it came. */
  get text(): string {
    return this.#raw;
  }

  /** Something was given out. */
  get begun(): boolean {
    return this.#blocks > 0;
  }

  /** Lines that are final. */
  push(delta: string, page: Page): string[] {
    this.#raw += delta;
    // Of a control sequence that comes in two pieces, its beginning is dropped and the rest is mere text.
    this.#rest = terminalText(this.#rest + delta);
    const blocks = blocksOf(this.#rest);
    const lines: string[] = [];
    for (const [index, block] of blocks.entries()) {
      if (!isClosed(blocks, index)) {
        const items = grownItems(block);
        if (items !== undefined && this.#rest.startsWith(items.raw)) {
          lines.push(...this.#given(items, page));
          this.#rest = this.#rest.slice(items.raw.length);
          this.#joins = !endsWithSpace(items.raw);
        }
        break;
      }
      lines.push(...this.#given(block, page));
      this.#rest = this.#rest.slice(block.raw.length);
    }
    return lines;
  }

  /** The rest, however it ends. */
  finish(page: Page): string[] {
    const lines = blocksOf(this.#rest).flatMap((block) => this.#given(block, page));
    this.#rest = '';
    return lines;
  }

  /** What is not final yet. */
  live(page: Page): string[] {
    const lines: string[] = [];
    for (const block of blocksOf(this.#rest)) {
      const rendered = renderBlock(block, page);
      if (rendered.length === 0) continue;
      const joins = lines.length === 0 && this.#joins && block.type === 'list';
      if ((lines.length > 0 || this.#blocks > 0) && !joins) lines.push('');
      lines.push(...rendered);
    }
    return lines;
  }

  #given(block: Token, page: Page): string[] {
    const lines = renderBlock(block, page);
    if (lines.length === 0) return [];
    const joins = this.#joins && block.type === 'list';
    this.#joins = false;
    this.#blocks += 1;
    return this.#blocks > 1 && !joins ? ['', ...lines] : lines;
  }
}

/** Nothing that may still come can change it. */
function isClosed(blocks: readonly Token[], index: number): boolean {
  const [next, ...others] = blocks.slice(index + 1);
  if (next === undefined) return false;
  if (next.type !== 'space' || others.some(({ type }) => type !== 'space')) return true;
  return CLOSED_BY_SPACE.has(blocks[index]?.type ?? '');
}
