/** Rows from `from` up to and excluding `to`. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** The maximum of new rows rendered at each end per frame. */
const A_FRAME = 2;

/**
 * The rows to render next: visible rows immediately, overscan rows a few per frame, so that frames stay short while
 * scrolling. `drawn` is the current range, `seen` the visible one, `ready` the target, which includes `seen`.
 */
export function nextRenderedRange(
  drawn: RowRange | undefined,
  seen: RowRange,
  ready: RowRange,
): RowRange {
  const apart = drawn === undefined || drawn.to <= seen.from || drawn.from >= seen.to;
  const { from, to } = apart ? seen : drawn;
  return {
    from: Math.min(seen.from, Math.max(ready.from, from - A_FRAME)),
    to: Math.max(seen.to, Math.min(ready.to, to + A_FRAME)),
  };
}
