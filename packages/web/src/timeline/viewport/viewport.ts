import { Cell } from '../../state/cell.ts';
import { estimatedHeight, type Row } from '../rows/row.ts';
import { RowHeights } from './row-heights.ts';

/** Rows are drawn this far beyond what is seen. */
const BEYOND = 500;
/** So near to the end counts as there. */
const END_ZONE = 32;

export interface Shown {
  readonly rows: readonly Row[];
  readonly from: number;
  readonly to: number;
}

/** Where somebody reads: at the end, and so it stays; or at a place in a row, and so that stays. */
type Place =
  | { readonly at: 'end' }
  | { readonly at: 'row'; readonly key: string; readonly into: number };

/**
 * Draws only the rows that are seen, and keeps what is read where it is, whatever happens above or below: text that streams
 * in, older messages that are put before, cards that are unfolded. Heights are measured before anything is painted (a
 * ResizeObserver), so that nothing jumps.
 *
 * Written by hand, because the libraries for it scroll by indices: they let the text under the eyes move when rows above it
 * turn out higher than guessed, and build all offsets again when rows are put before.
 */
export class Viewport {
  /** What is to be drawn. */
  readonly shown = new Cell<Shown>({ rows: [], from: 0, to: 0 });
  readonly atEnd = new Cell(true);
  readonly #heights = new RowHeights();
  readonly #measured = new Map<string, number>();
  readonly #elements = new Map<Element, string>();
  /** Drawn, and not measured yet. */
  readonly #fresh = new Set<Element>();
  readonly #observer = new ResizeObserver((entries) => this.#resized(entries));
  #index = new Map<string, number>();
  #rows: readonly Row[] = [];
  #place: Place = { at: 'end' };
  #scroller: HTMLElement | undefined;
  #space: HTMLElement | undefined;
  #window: HTMLElement | undefined;
  #height = 0;
  /** Where we have scrolled to ourselves. */
  #set = -1;

  /** `space` is as high as all rows; `window` holds those that are drawn. */
  attach(scroller: HTMLElement, space: HTMLElement, window: HTMLElement): () => void {
    this.#scroller = scroller;
    this.#space = space;
    this.#window = window;
    this.#height = scroller.clientHeight;
    scroller.addEventListener('scroll', this.#scrolled, { passive: true });
    this.#observer.observe(scroller);
    this.#show();
    return () => {
      scroller.removeEventListener('scroll', this.#scrolled);
      this.#observer.disconnect();
      this.#elements.clear();
      this.#scroller = undefined;
    };
  }

  readonly setRows = (rows: readonly Row[]): void => {
    const before = this.#rows;
    this.#rows = rows;
    let same = 0;
    while (same < rows.length && rows[same]?.key === before[same]?.key) same += 1;
    this.#heights.truncate(same);
    for (let at = same; at < rows.length; at += 1) {
      const row = rows[at];
      if (row !== undefined)
        this.#heights.append(this.#measured.get(row.key) ?? estimatedHeight(row));
    }
    if (same < rows.length || same < before.length) this.#reindex(same);
    this.#show();
  };

  /** To be called with each row that is drawn. */
  readonly measure = (key: string, element: Element): (() => void) => {
    this.#elements.set(element, key);
    this.#fresh.add(element);
    this.#observer.observe(element);
    return () => {
      this.#observer.unobserve(element);
      this.#elements.delete(element);
      this.#fresh.delete(element);
      // Whoever goes by keys goes on from here, and not from the beginning of the page.
      if (element.contains(document.activeElement)) this.#scroller?.focus({ preventScroll: true });
    };
  };

  /** After rows have been drawn: their heights are known before they are painted. */
  readonly drawn = (): void => {
    for (const element of this.#fresh) {
      const key = this.#elements.get(element);
      if (key !== undefined) this.#setHeight(key, element.getBoundingClientRect().height);
    }
    this.#fresh.clear();
    this.#settle();
  };

  /** Everything in its place. */
  #settle(): void {
    const scroller = this.#scroller;
    if (scroller === undefined || this.#space === undefined || this.#window === undefined) return;
    const { from } = this.shown.get();
    this.#space.style.height = `${this.#heights.total}px`;
    this.#window.style.transform = `translateY(${this.#heights.offsetOf(from)}px)`;
    const wanted = this.#wantedTop();
    if (Math.abs(scroller.scrollTop - wanted) >= 1) scroller.scrollTop = wanted;
    this.#set = scroller.scrollTop;
  }

  readonly toEnd = (): void => {
    this.#place = { at: 'end' };
    this.#moved();
  };

  /** Brings a row to the top, a little below the edge. */
  readonly toRow = (key: string, above = 16): void => {
    if (!this.#index.has(key)) return;
    this.#place = { at: 'row', key, into: -above };
    this.#moved();
  };

  /** The row that is read: at the top of what is seen. */
  get topRow(): number {
    return this.#heights.rowAt((this.#scroller?.scrollTop ?? 0) + 24);
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  #moved(): void {
    this.atEnd.set(this.#place.at === 'end');
    this.#settle();
    this.#show();
  }

  #reindex(from: number): void {
    if (from === 0) this.#index = new Map();
    for (let at = from; at < this.#rows.length; at += 1) {
      const key = this.#rows[at]?.key;
      if (key !== undefined) this.#index.set(key, at);
    }
  }

  #wantedTop(): number {
    const end = Math.max(0, this.#heights.total - this.#height);
    if (this.#place.at === 'end') return end;
    const row = this.#index.get(this.#place.key);
    if (row === undefined || this.#rows[row]?.key !== this.#place.key) return this.#set;
    return Math.max(0, Math.min(end, this.#heights.offsetOf(row) + this.#place.into));
  }

  readonly #scrolled = (): void => {
    const scroller = this.#scroller;
    if (scroller === undefined) return;
    const top = scroller.scrollTop;
    if (Math.abs(top - this.#set) >= 1) {
      this.#set = top;
      this.#readAt(top);
    }
    this.#show();
  };

  /** Somebody has scrolled there. */
  #readAt(top: number): void {
    const end = this.#heights.total - this.#height;
    if (top >= end - END_ZONE) {
      this.#place = { at: 'end' };
    } else {
      const row = this.#heights.rowAt(top);
      const key = this.#rows[row]?.key ?? 'start';
      this.#place = { at: 'row', key, into: top - this.#heights.offsetOf(row) };
    }
    this.atEnd.set(this.#place.at === 'end');
  }

  #show(): void {
    const top = this.#wantedTop();
    const from = this.#heights.rowAt(Math.max(0, top - BEYOND));
    const to = Math.min(this.#rows.length, this.#heights.rowAt(top + this.#height + BEYOND) + 1);
    const now = this.shown.get();
    if (now.rows === this.#rows && now.from === from && now.to === to) return;
    this.shown.set({ rows: this.#rows, from, to });
  }

  #resized(entries: readonly ResizeObserverEntry[]): void {
    for (const { target, borderBoxSize } of entries) {
      if (target === this.#scroller) {
        this.#height = this.#scroller.clientHeight;
        continue;
      }
      const key = this.#elements.get(target);
      const height = borderBoxSize[0]?.blockSize;
      if (key !== undefined && height !== undefined) this.#setHeight(key, height);
    }
    this.#settle();
    // Not now: rows that are drawn while sizes are told would be told about in the next frame only, as an error.
    requestAnimationFrame(() => this.#show());
  }

  #setHeight(key: string, height: number): void {
    this.#measured.set(key, height);
    const row = this.#index.get(key);
    if (row !== undefined && this.#rows[row]?.key === key) this.#heights.set(row, height);
  }
}
