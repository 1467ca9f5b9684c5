import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { type Cell, useCell } from '../state/cell.ts';
import { cx } from '../ui/class-names.ts';

/** A key moves the edge by this many pixels. */
const STEP = 16;

/** The edge of a pane: dragging it or the arrow keys change its width, a double click or Enter restores it. */
export function ResizeHandle({
  label,
  width,
  limits,
  paneIs,
  isHidden = false,
}: {
  readonly label: string;
  readonly width: Cell<number>;
  readonly limits: { readonly initial: number; readonly min: number; readonly max: number };
  /** The pane is to the left or to the right of its edge. */
  readonly paneIs: 'left' | 'right';
  /** Not drawn until the pointer or the focus is on it. */
  readonly isHidden?: boolean;
}) {
  const now = useCell(width);
  const drag = useRef<{ readonly x: number; readonly width: number }>(undefined);
  const sign = paneIs === 'left' ? 1 : -1;
  const set = (next: number) =>
    width.set(Math.round(Math.max(limits.min, Math.min(limits.max, next))));
  /** What is shown may be narrower, if the window is. */
  const shownWidth = (handle: HTMLElement) => {
    const pane = paneIs === 'left' ? 'previousElementSibling' : 'nextElementSibling';
    return handle[pane]?.getBoundingClientRect().width ?? now;
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    drag.current = { x: event.clientX, width: shownWidth(event.currentTarget) };
    event.currentTarget.setPointerCapture(event.pointerId);
    event.preventDefault();
    event.currentTarget.focus();
  };
  const onPointerMove = ({ clientX }: PointerEvent) => {
    if (drag.current !== undefined) set(drag.current.width + sign * (clientX - drag.current.x));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const shown = shownWidth(event.currentTarget);
    const step = sign * STEP * (event.shiftKey ? 4 : 1);
    if (event.key === 'ArrowRight') set(shown + step);
    else if (event.key === 'ArrowLeft') set(shown - step);
    else if (event.key === 'Home') set(limits.min);
    else if (event.key === 'End') set(limits.max);
    else if (event.key === 'Enter') set(limits.initial);
    else return;
    event.preventDefault();
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={now}
      aria-valuemin={limits.min}
      aria-valuemax={limits.max}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a separator with a value is a widget
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => (drag.current = undefined)}
      onPointerCancel={() => (drag.current = undefined)}
      onDoubleClick={() => set(limits.initial)}
      onKeyDown={onKeyDown}
      className={cx(
        'group relative z-10 shrink-0 cursor-col-resize touch-none outline-none',
        isHidden ? 'w-0' : 'w-px bg-line',
      )}
    >
      {/* Wider than the line, so that it is easy to hit. */}
      <span className="absolute inset-y-0 -left-1 w-2.5" />
      <span className="absolute inset-y-0 -left-px w-0.75 transition-colors group-hover:bg-line-strong group-focus-visible:bg-accent group-active:bg-accent" />
    </div>
  );
}
