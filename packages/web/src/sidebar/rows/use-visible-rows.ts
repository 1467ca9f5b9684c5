import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { rowsBetween, topsOf } from './row-tops.ts';

/** Rendered above and below the visible rows. */
const OVERSCAN = 8;

/**
 * The rows to render of a long list whose row heights are known. A hand-written one: a library that also measures rows
 * is 8 KB of the first load.
 */
export function useVisibleRows(
  scroller: RefObject<HTMLElement | null>,
  heights: readonly number[],
  /** The index of a row that is always rendered, or -1. */
  always: number,
) {
  const tops = useMemo(() => topsOf(heights), [heights]);
  const [{ from, to }, setShown] = useState({ from: 0, to: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = () => {
      const next = rowsBetween(tops, element.scrollTop, element.scrollTop + element.clientHeight);
      setShown((shown) => (shown.from === next.from && shown.to === next.to ? shown : next));
    };
    // In the frame of the scrolling, so that no empty rows are seen.
    const scrolled = () => flushSync(look);
    look();
    element.addEventListener('scroll', scrolled, { passive: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    return () => {
      element.removeEventListener('scroll', scrolled);
      sizes.disconnect();
    };
  }, [scroller, tops]);
  const first = Math.max(0, from - OVERSCAN);
  const end = Math.min(heights.length, to + OVERSCAN);
  const indexes = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
  if (always !== -1 && always < first) indexes.unshift(always);
  if (always >= end) indexes.push(always);
  return {
    indexes,
    tops,
    /** As little as necessary. */
    scrollTo: (index: number): void => {
      const element = scroller.current;
      const top = tops[index];
      const bottom = tops[index + 1];
      if (element === null || top === undefined || bottom === undefined) return;
      const lowest = bottom - element.clientHeight;
      if (element.scrollTop > top) element.scrollTo({ top });
      else if (element.scrollTop < lowest) element.scrollTo({ top: lowest });
    },
  };
}
