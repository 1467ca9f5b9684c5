import { terminalText } from '../output/terminal-text.ts';
import { blocksOf, type Page, renderBlock } from './markdown.ts';

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
      const next = blocks[index + 1];
      if (next === undefined) break;
      const closed = next.type !== 'space' || CLOSED_BY_SPACE.has(block.type);
      const later = blocks.slice(index + 1).some(({ type }) => type !== 'space');
      if (!closed && !later) break;
      lines.push(...this.#spaced(renderBlock(block, page)));
      this.#rest = this.#rest.slice(block.raw.length);
    }
    return lines;
  }

  /** The rest, however it ends. */
  finish(page: Page): string[] {
    const lines = blocksOf(this.#rest).flatMap((block) => this.#spaced(renderBlock(block, page)));
    this.#rest = '';
    return lines;
  }

  /** What is not final yet. */
  live(page: Page): string[] {
    const lines: string[] = [];
    for (const block of blocksOf(this.#rest)) {
      const rendered = renderBlock(block, page);
      if (rendered.length === 0) continue;
      if (lines.length > 0 || this.#blocks > 0) lines.push('');
      lines.push(...rendered);
    }
    return lines;
  }

  #spaced(lines: string[]): string[] {
    if (lines.length === 0) return [];
    this.#blocks += 1;
    return this.#blocks > 1 ? ['', ...lines] : lines;
  }
}
