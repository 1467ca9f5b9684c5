import { type BlockStart, blockStartOf, continues, type BlockMode } from './continuation.ts';
import type { Block, Fence } from './block.ts';
import { closesFence, isDefinition } from './line-kind.ts';

/** Open blocks are parsed again in every frame, so longer ones are split. */
const LIMIT = 4000;
/** Collapsed content is not parsed. */
const DETAILS_LIMIT = 40_000;
const CODE_LINES = 60;
const DEFINITIONS_LIMIT = 200;

export type CutBlock = Omit<Block, 'key' | 'open'>;

/**
 * Splits growing text into blocks. Each line is read once and the open block is bounded, even for a line of a megabyte.
 * The cost of a delta depends on the delta, not on the text before it.
 */
export class BlockCutter {
  /** Link reference definitions (`[label]: target`) and footnotes (`[^label]: text`), one per line. */
  readonly definitions: string[] = [];
  readonly #finished: (block: CutBlock) => void;
  #mode: BlockMode = { kind: 'none' };
  /** The open block: its complete lines, then the incomplete one. */
  #text = '';
  #lineStart = 0;
  #lines = 0;
  #joined = false;
  #fence: Fence | undefined;

  constructor(finished: (block: CutBlock) => void) {
    this.#finished = finished;
  }

  append(piece: string): void {
    for (let at = 0; at < piece.length;) {
      // Never exceeds the limit, so that splits do not depend on how the text arrives.
      const last = Math.min(piece.length, at + this.#limit - this.#text.length);
      const lineEnd = piece.indexOf('\n', at);
      const complete = lineEnd !== -1 && lineEnd < last;
      const end = complete ? lineEnd + 1 : last;
      this.#text += piece.slice(at, end);
      at = end;
      if (complete) this.#completeLine(this.#text.slice(this.#lineStart, -1));
      this.#bound();
    }
  }

  /** The current open block. */
  get open(): CutBlock | undefined {
    return this.#blockOf(this.#text);
  }

  #completeLine(line: string): void {
    const mode = this.#mode;
    const before = this.#text.slice(0, this.#lineStart);
    if (mode.kind === 'code') {
      this.#lines += 1;
      if (closesFence(line, mode.mark)) this.#finish(before, '');
      else this.#lineStart = this.#text.length;
      return;
    }
    if (isDefinition(line) && this.definitions.length < DEFINITIONS_LIMIT) {
      this.definitions.push(line);
    }
    const next = continues(mode, before, line);
    if (next === 'other') {
      this.#finish(before, `${line}\n`);
      this.#begin(blockStartOf(line));
    } else if (next === 'last') {
      this.#finish(this.#text, '');
    } else {
      this.#mode = next;
      this.#lineStart = this.#text.length;
    }
  }

  #begin({ mode, single }: BlockStart): void {
    this.#mode = mode;
    if (mode.kind === 'code') this.#fence = { language: mode.language, pieces: [''] };
    if (mode.kind === 'code' || mode.kind === 'none') this.#text = '';
    this.#lineStart = this.#text.length;
    if (single) this.#finish(this.#text, '');
  }

  get #limit(): number {
    return this.#mode.kind === 'details' ? DETAILS_LIMIT : LIMIT;
  }

  #bound(): void {
    const { length } = this.#text;
    if (this.#mode.kind === 'code') {
      if (this.#lines >= CODE_LINES || length >= LIMIT) this.#cutCode();
    } else if (length >= this.#limit) {
      this.#cutProse();
    }
  }

  #cutCode(): void {
    const mode = this.#mode;
    const fence = this.#fence;
    const cut = this.#lineStart > 0 ? this.#lineStart : this.#text.length;
    this.#finish(this.#text.slice(0, cut), this.#text.slice(cut));
    this.#mode = mode;
    this.#fence = fence;
    fence?.pieces.push('');
    this.#joined = true;
  }

  /** Splits between lines where possible: a table repeats its header, a paragraph continues mid-text. */
  #cutProse(): void {
    const mode = this.#mode;
    const text = this.#text;
    if (mode.kind === 'table' && this.#lineStart > mode.header.length) {
      this.#finish(text.slice(0, this.#lineStart), mode.header + text.slice(this.#lineStart));
      this.#mode = mode;
      this.#lineStart = mode.header.length;
    } else if (this.#lineStart > 0) {
      this.#finish(text.slice(0, this.#lineStart), text.slice(this.#lineStart));
      if (mode.kind === 'paragraph') this.#goOnWithParagraph();
    } else {
      const cut = cutInLine(text);
      this.#finish(text.slice(0, cut), text.slice(cut));
      this.#goOnWithParagraph();
    }
  }

  #goOnWithParagraph(): void {
    this.#mode = { kind: 'paragraph', lines: 2 };
    this.#joined = true;
  }

  #finish(text: string, rest: string): void {
    const block = this.#blockOf(text);
    if (block !== undefined) this.#finished(block);
    this.#text = rest;
    this.#mode = { kind: 'none' };
    this.#lineStart = 0;
    this.#lines = 0;
    this.#joined = false;
    this.#fence = undefined;
  }

  #blockOf(text: string): CutBlock | undefined {
    const fence = this.#fence;
    if (fence !== undefined) {
      const code = text.endsWith('\n') ? text.slice(0, -1) : text;
      fence.pieces[fence.pieces.length - 1] = code;
      return { kind: 'code', text: code, joined: this.#joined, fence };
    }
    if (text.trim() === '') return undefined;
    const kind = this.#mode.kind === 'math' ? 'math' : 'prose';
    return { kind, text, joined: this.#joined };
  }
}

/** At a space if there is one, and never within a character. */
function cutInLine(text: string): number {
  const space = text.lastIndexOf(' ', LIMIT);
  if (space > LIMIT / 2) return space + 1;
  const high = text.charCodeAt(LIMIT - 1);
  return high >= 0xd8_00 && high <= 0xdb_ff ? LIMIT - 1 : LIMIT;
}
