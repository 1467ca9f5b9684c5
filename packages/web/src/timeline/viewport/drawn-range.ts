/** Rows from `from` on, up to but without `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** So many rows at each end are drawn anew in one frame. */
const A_FRAME = 2;

/**
 * What is drawn next: what is seen at once, and of what is kept ready beyond it a little more with every frame. A frame in
 * which somebody scrolls is short in this way, however much comes at once.
 *
 * `drawn` is what there is, `seen` what must be there now, `ready` what is wanted in the end, which holds what is seen.
 */
export function nextRange(drawn: Range | undefined, seen: Range, ready: Range): Range {
  const apart = drawn === undefined || drawn.to <= seen.from || drawn.from >= seen.to;
  const { from, to } = apart ? seen : drawn;
  return {
    from: Math.min(seen.from, Math.max(ready.from, from - A_FRAME)),
    to: Math.max(seen.to, Math.min(ready.to, to + A_FRAME)),
  };
}
