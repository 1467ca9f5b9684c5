/** The offset of each row, and the total height as the last element. */
export function topsOf(heights: readonly number[]): readonly number[] {
  const tops = [0];
  for (const [index, height] of heights.entries()) tops.push((tops[index] ?? 0) + height);
  return tops;
}

/** The rows that overlap a range of offsets: from `from` up to and excluding `to`. */
export function rowsBetween(
  tops: readonly number[],
  start: number,
  end: number,
): { readonly from: number; readonly to: number } {
  const from = Math.max(0, firstAbove(tops, start) - 1);
  return { from, to: Math.min(tops.length - 1, Math.max(from, firstAbove(tops, end))) };
}

/** The index of the first element above the offset, by binary search. */
function firstAbove(tops: readonly number[], offset: number): number {
  let low = 0;
  let high = tops.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tops[middle] ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
