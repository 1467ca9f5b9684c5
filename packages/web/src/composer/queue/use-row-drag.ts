import { type PointerEvent, type RefObject, useState } from 'react';
import { placeAt } from './order.ts';

export interface RowDrag {
  /** The dragged row. */
  readonly from: number;
  /** Its target index. */
  readonly to: number;
  /** Its offset from the original position, in pixels. */
  readonly offset: number;
}

/** Drag by a handle with pointer events, which cover mouse, pen and touch. The caller handles keys. */
export function useRowDrag(
  list: RefObject<HTMLElement | null>,
  onDrop: (from: number, to: number) => void,
) {
  const [drag, setDrag] = useState<(RowDrag & { start: number; middles: number[] }) | null>(null);

  const handle = (from: number) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0 || list.current === null) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const middles = Array.from(list.current.children, (row) => {
        const { top, height } = row.getBoundingClientRect();
        return top + height / 2;
      });
      setDrag({ from, to: from, offset: 0, start: event.clientY, middles });
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (drag === null) return;
      const offset = event.clientY - drag.start;
      const centre = (drag.middles[drag.from] ?? 0) + offset;
      const to = placeAt(drag.middles.toSpliced(drag.from, 1), centre);
      setDrag({ ...drag, offset, to });
    },
    onPointerUp() {
      if (drag === null) return;
      setDrag(null);
      if (drag.to !== drag.from) onDrop(drag.from, drag.to);
    },
    onPointerCancel: () => setDrag(null),
    // A touch on the handle drags the row instead of scrolling the page.
    style: { touchAction: 'none' },
  });

  return { drag: drag as RowDrag | null, handle };
}
