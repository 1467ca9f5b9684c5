import { Cell } from '../../state/cell.ts';
import { estimatedHeight, type Row } from '../rows/row.ts';
import { nextRenderedRange, type RowRange } from './rendered-range.ts';
import type { ReadingPlace } from './reading-places.ts';
import { RowHeights } from './row-heights.ts';

/** The overscan in pixels … */
const BEYOND = 500;
/** … of which this much is rendered without delay. */
const NEAR = 160;
/** The distance to the end that counts as being there. */
const END_ZONE = 32;

export interface Shown {
  readonly rows: readonly Row[];
  readonly from: number;
  readonly to: number;
}

/** The reading position: pinned to the end, or to a place within a row. */
type Place =
  | { readonly at: 'end' }
  | { readonly at: 'row'; readonly key: string; readonly into: number };

/**
 * Renders only visible rows and keeps the reading position, whatever happens above or below it: streaming text, older
 * messages, expanding cards. Heights are measured before the paint (ResizeObserver), so that nothing jumps. Implemented
 * here because existing libraries scroll by index: the text moves when rows above it turn out taller than estimated,
 * and prepending rows rebuilds all offsets.
 */
export class Viewport {
  /** The range to render. */
  readonly shown = new Cell<Shown>({ rows: [], from: 0, to: 0 });
  readonly atEnd = new Cell(true);
  readonly #heights = new RowHeights();
  /** Of every row so far: measured, or estimated once, because the text of long chats takes long to look through. */
  readonly #known = new Map<string, number>();
  readonly #elements = new Map<Element, string>();
  /** Rendered and not yet measured. */
  readonly #fresh = new Set<Element>();
  readonly #observer = new ResizeObserver((entries) => this.#resized(entries));
  #index = new Map<string, number>();
  #rows: readonly Row[] = [];
  #place: Place = { at: 'end' };
  #scroller: HTMLElement | undefined;
  #space: HTMLElement | undefined;
  #window: HTMLElement | undefined;
  #height = 0;
  #frame = 0;
  /** The last position set by this class. */
  #set = -1;

  /** `space` has the total height; `window` contains the rendered rows. */
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
      cancelAnimationFrame(this.#frame);
      this.#elements.clear();
      this.#fresh.clear();
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
      if (row !== undefined) this.#heights.append(this.#heightOf(row));
    }
    if (same < rows.length || same < before.length) this.#reindex(same);
    this.#show();
  };

  /** Must be called for each rendered row. */
  readonly measure = (key: string, element: Element): (() => void) => {
    this.#elements.set(element, key);
    this.#fresh.add(element);
    this.#observer.observe(element);
    return () => {
      this.#observer.unobserve(element);
      this.#elements.delete(element);
      this.#fresh.delete(element);
      // Keeps the keyboard focus at the reading position.
      if (element.contains(document.activeElement)) this.#scroller?.focus({ preventScroll: true });
    };
  };

  /** After rendering. New heights arrive before the paint, after layout; then everything is positioned once. */
  readonly drawn = (): void => {
    if (this.#fresh.size === 0) this.#settle();
  };

  /** Positions everything. Uses the known scroll position, because reading it from the page would force a layout. */
  #settle(): void {
    const scroller = this.#scroller;
    if (scroller === undefined || this.#space === undefined || this.#window === undefined) return;
    const { from } = this.shown.get();
    this.#space.style.height = `${this.#heights.total}px`;
    this.#window.style.transform = `translateY(${this.#heights.offsetOf(from)}px)`;
    const wanted = this.#wantedTop();
    if (Math.abs(this.#set - wanted) < 1) return;
    scroller.scrollTop = wanted;
    this.#set = wanted;
  }

  readonly toEnd = (): void => {
    this.#place = { at: 'end' };
    this.#moved();
  };

  /** Scrolls a row to just below the top edge. */
  readonly toRow = (key: string, above = 16): void => {
    if (!this.#index.has(key)) return;
    this.#place = { at: 'row', key, into: -above };
    this.#moved();
  };

  /** The reading position. Undefined: the end. */
  get place(): ReadingPlace | undefined {
    if (this.#place.at === 'end') return undefined;
    const { key, into } = this.#place;
    const messageId = this.#rows[this.#index.get(key) ?? -1]?.messageId;
    return messageId === undefined ? undefined : { key, into, messageId };
  }

  /** Returns to an earlier reading position. Rows of a preview have other keys once they are loaded again. */
  readonly toPlace = ({ key, into, messageId }: ReadingPlace): void => {
    const row = this.#index.has(key)
      ? key
      : this.#rows.find((candidate) => candidate.messageId === messageId)?.key;
    if (row !== undefined) this.toRow(row, -into);
  };

  /** The row at the top of the viewport. */
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
    // After a scroll by this class, the visible rows are already rendered.
    if (Math.abs(top - this.#set) < 1) return this.#showMore();
    this.#set = top;
    // The scroller may have been resized in this frame, which is reported later: the previous end counts, too.
    this.#readAt(top, Math.max(this.#height, scroller.clientHeight));
    this.#show();
  };

  /** The user has scrolled. */
  #readAt(top: number, height: number): void {
    const end = this.#heights.total - height;
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
    const now = this.shown.get();
    const ready = this.#within(BEYOND);
    const next = nextRenderedRange(this.#drawnRange(), this.#within(NEAR), ready);
    if (next.from !== ready.from || next.to !== ready.to) this.#showMore();
    if (now.rows === this.#rows && now.from === next.from && now.to === next.to) return;
    this.shown.set({ rows: this.#rows, ...next });
  }

  /** Rows within a distance of the visible ones. */
  #within(distance: number): RowRange {
    const top = this.#wantedTop();
    const from = this.#heights.rowAt(Math.max(0, top - distance));
    const to = this.#heights.rowAt(top + this.#height + distance) + 1;
    return { from, to: Math.min(this.#rows.length, to) };
  }

  /** The indices of the rendered rows, which shift when rows are prepended. */
  #drawnRange(): RowRange | undefined {
    const { rows, from, to } = this.shown.get();
    const [first, last] = [this.#placeOf(rows[from]), this.#placeOf(rows[to - 1])];
    return first === undefined || last === undefined ? undefined : { from: first, to: last + 1 };
  }

  #placeOf(row: Row | undefined): number | undefined {
    const at = row === undefined ? undefined : this.#index.get(row.key);
    return at !== undefined && this.#rows[at]?.key === row?.key ? at : undefined;
  }

  /** In the next frame; one requested during a scroll event would be the current one. */
  #showMore(): void {
    const asked = document.timeline.currentTime;
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      if (document.timeline.currentTime === asked) this.#showMore();
      else this.#show();
    });
  }

  #resized(entries: readonly ResizeObserverEntry[]): void {
    for (const { target, borderBoxSize } of entries) {
      if (target === this.#scroller) {
        this.#height = this.#scroller.clientHeight;
        continue;
      }
      this.#fresh.delete(target);
      const key = this.#elements.get(target);
      const height = borderBoxSize[0]?.blockSize;
      if (key !== undefined && height !== undefined) this.#setHeight(key, height);
    }
    this.#settle();
    // Deferred: rows rendered during ResizeObserver callbacks would be reported in the next frame, with an error.
    this.#showMore();
  }

  #heightOf(row: Row): number {
    const known = this.#known.get(row.key);
    if (known !== undefined) return known;
    const estimated = estimatedHeight(row);
    this.#known.set(row.key, estimated);
    return estimated;
  }

  #setHeight(key: string, height: number): void {
    this.#known.set(key, height);
    const row = this.#index.get(key);
    if (row !== undefined && this.#rows[row]?.key === key) this.#heights.set(row, height);
  }
}
