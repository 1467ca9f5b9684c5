import { type RefObject, useEffect, useReducer, useRef, useState } from 'react';
import { stops } from './row-keys.ts';
import type { Row } from './rows.ts';

/**
 * Of all rows one is reached by Tab, and arrows go on from there. A row may have to be scrolled to before it is in the
 * page: it gets the focus as soon as it is.
 */
export function useRowFocus(
  rows: readonly Row[],
  currentId: string | undefined,
  scroller: RefObject<HTMLElement | null>,
) {
  const [focused, setFocused] = useState<string>();
  const wanted = useRef<string | undefined>(undefined);
  const [, drawAgain] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const key = wanted.current;
    if (key === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);
    if (row === null || row === undefined) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });
  const all = stops(rows);
  const has = (key: string | undefined) => all.find((row) => row.key === key)?.key;
  return {
    setFocused,
    tabbable: has(focused) ?? has(currentId) ?? all[0]?.key,
    /** With the next render. */
    want: (key: string) => {
      wanted.current = key;
      setFocused(key);
      // It may be the row that had the focus last: then nothing else has changed.
      drawAgain();
    },
  };
}
