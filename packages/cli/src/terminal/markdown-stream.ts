import type { Token } from 'marked';
import { terminalText } from '../output/terminal-text.ts';
import { blocksOf, endsWithSpace, finishedItems, type Page, renderBlock } from './markdown.ts';

/** Blocks that an empty line ends; lists and quotes may continue. */
const CLOSED_BY_SPACE = new Set(['paragraph', 'heading', 'code', 'hr', 'table']);

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
    const blocks = blocksOf(this.#rest);
    const lines: string[] = [];
    for (const [index, block] of blocks.entries()) {
      if (!isClosed(blocks, index)) {
        const items = finishedItems(block);
        if (items !== undefined && this.#rest.startsWith(items.raw)) {
          lines.push(...this.#finalLines(items, page));
          this.#rest = this.#rest.slice(items.raw.length);
          this.#joins = !endsWithSpace(items.raw);
        }
        break;
      }
      lines.push(...this.#finalLines(block, page));
      this.#rest = this.#rest.slice(block.raw.length);
    }
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

  #finalLines(block: Token, page: Page): string[] {
    const lines = renderBlock(block, page);
    if (lines.length === 0) return [];
    const joins = this.#joins && block.type === 'list';
    this.#joins = false;
    this.#blocks += 1;
    return this.#blocks > 1 && !joins ? ['', ...lines] : lines;
  }
}

/** Whether following text cannot change a block. */
function isClosed(blocks: readonly Token[], index: number): boolean {
  const [next, ...others] = blocks.slice(index + 1);
  if (next === undefined) return false;
  if (next.type !== 'space' || others.some(({ type }) => type !== 'space')) return true;
  return CLOSED_BY_SPACE.has(blocks[index]?.type ?? '');
}
