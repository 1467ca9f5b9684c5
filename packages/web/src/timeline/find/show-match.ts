import type { ChatStore } from '../../state/chat/chat-store.ts';
import type { Viewport } from '../viewport/viewport.ts';
import { paint, rangesIn } from './highlight.ts';
import type { Match } from './matches.ts';

/** Rendering, expanding and loading a card take a few frames. */
const FRAMES = 30;
/** Buttons that show the rest of a long output. */
const MORE = /^Show (?:all|earlier)\b/;
const CLOSED_DETAILS = '.md-details > [aria-expanded="false"]';
/** The space to keep around a match. */
const MARGIN = 72;

/** Finds the ranges of matches among the rendered rows. */
export class Highlights {
  readonly #viewport: Viewport;
  readonly #store: ChatStore;
  readonly #pattern: RegExp;
  #match: Match | undefined;

  constructor(viewport: Viewport, store: ChatStore, pattern: RegExp) {
    this.#viewport = viewport;
    this.#store = store;
    this.#pattern = pattern;
  }

  /** Whenever rows are rendered. */
  readonly paint = (): void => {
    const rows = document.querySelectorAll('[data-timeline] [data-key]');
    const all = Array.from(rows).flatMap((row) => rangesIn(row, this.#pattern));
    paint(all, this.#current());
  };

  /** Expands what hides the match and scrolls to it. */
  async show(match: Match, signal: AbortSignal): Promise<void> {
    this.#match = match;
    if (match.fold !== undefined) this.#store.folds.of(match.fold).set(true);
    let key: string | undefined;
    for (let frame = 0; frame < FRAMES; frame += 1) {
      // The row of a message that was just loaded follows a few frames later.
      const found = this.#rowKey(match);
      if (found !== undefined && found !== key && this.#element() === null) {
        this.#viewport.toRow(found, 120);
      }
      key = found;
      await new Promise(requestAnimationFrame);
      if (signal.aborted) return;
      if (this.#ranges().length > match.nth) break;
      if (frame === FRAMES / 2) this.#showMore(this.#element());
    }
    if (key === undefined) return;
    const range = this.#current();
    if (range === undefined) this.#viewport.toRow(key, 120);
    else this.#reveal(key, range);
    this.paint();
  }

  /** Calls can share a row, which is that of an earlier one. */
  #rowKey({ key, messageId, fold }: Match): string | undefined {
    const { rows } = this.#viewport;
    const shown =
      rows.find((row) => row.key === key) ??
      rows.find((row) => row.kind === 'explored' && row.callIds.includes(fold ?? '')) ??
      rows.findLast((row) => row.messageId <= messageId);
    return shown?.key;
  }

  #element(): Element | null {
    const key = this.#match && this.#rowKey(this.#match);
    return document.querySelector(`[data-timeline] [data-key="${CSS.escape(key ?? '')}"]`);
  }

  #current(): Range | undefined {
    const ranges = this.#ranges();
    return ranges[this.#match?.nth ?? 0] ?? ranges.at(-1);
  }

  /** The matches in the row, or in the call. */
  #ranges(): Range[] {
    const row = this.#element();
    if (row === null || this.#match === undefined) return [];
    const { fold = '' } = this.#match;
    const call = row.querySelector(`[data-call="${CSS.escape(fold)}"]`);
    return rangesIn(call ?? row, this.#pattern);
  }

  #showMore(row: Element | null): void {
    for (const button of row?.querySelectorAll('button') ?? []) {
      if (MORE.test(button.textContent) || button.matches(CLOSED_DETAILS)) button.click();
    }
  }

  #reveal(key: string, range: Range): void {
    const timeline = document.querySelector('[data-timeline]');
    const row = this.#element();
    if (timeline === null || row === null) return;
    for (
      let box = range.startContainer.parentElement;
      box !== null && box !== row;
      box = box.parentElement
    ) {
      if (box.scrollHeight > box.clientHeight + 1) scrollTo(box, range);
    }
    const at = range.getBoundingClientRect();
    const seen = timeline.getBoundingClientRect();
    if (at.top > seen.top + MARGIN && at.bottom < seen.bottom - MARGIN) return;
    this.#viewport.toRow(key, seen.height / 3 - (at.top - row.getBoundingClientRect().top));
  }
}

function scrollTo(box: Element, range: Range): void {
  const [at, seen] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
  if (at.top >= seen.top && at.bottom <= seen.bottom) return;
  box.scrollTop += at.top - seen.top - seen.height / 3;
}
