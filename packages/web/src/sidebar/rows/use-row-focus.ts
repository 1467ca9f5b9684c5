import { type RefObject, useEffect, useReducer, useRef, useState } from 'react';
import { focusableRows } from './row-keys.ts';
import type { Row } from './rows.ts';

/**
 * Roving tab index: one row is in the tab order and arrow keys move it. A row that is not rendered is scrolled to first
 * and then focused.
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
  const all = focusableRows(rows);
  const has = (key: string | undefined) => all.find((row) => row.key === key)?.key;
  return {
    setFocused,
    tabbable: has(focused) ?? has(currentId) ?? all[0]?.key,
    /** Applied by the next render. */
    want: (key: string) => {
      wanted.current = key;
      setFocused(key);
      // The index may be unchanged, so a separate state triggers the render.
      drawAgain();
    },
  };
}
