/**
 * Row heights, measured or estimated, and the offsets that follow from them. A Fenwick tree: updates and lookups take
 * O(log n).
 */
export class RowHeights {
  #heights: number[] = [];
  /** `#sums[i]` holds the heights of the rows from i − lowbit(i) to i − 1. */
  #sums: number[] = [0];

  get count(): number {
    return this.#heights.length;
  }

  get total(): number {
    return this.offsetOf(this.count);
  }

  heightOf(row: number): number {
    return this.#heights[row] ?? 0;
  }

  /** The offset of a row; for the count, the total height. */
  offsetOf(row: number): number {
    let sum = 0;
    for (let at = Math.min(row, this.count); at > 0; at -= at & -at) sum += this.#sums[at] ?? 0;
    return sum;
  }

  /** The row at an offset; the last one beyond the end. */
  rowAt(offset: number): number {
    let row = 0;
    let left = offset;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.count))); step >= 1; step /= 2) {
      const sum = this.#sums[row + step];
      if (row + step <= this.count && sum !== undefined && sum <= left) {
        row += step;
        left -= sum;
      }
    }
    return Math.max(0, Math.min(row, this.count - 1));
  }

  set(row: number, height: number): void {
    const difference = height - this.heightOf(row);
    if (difference === 0 || row >= this.count) return;
    this.#heights[row] = height;
    for (let at = row + 1; at <= this.count; at += at & -at) {
      this.#sums[at] = (this.#sums[at] ?? 0) + difference;
    }
  }

  append(height: number): void {
    this.#heights.push(height);
    const at = this.count;
    const first = at - (at & -at);
    let sum = height;
    for (let below = at - 1; below > first; below -= below & -below) sum += this.#sums[below] ?? 0;
    this.#sums[at] = sum;
  }

  /** Truncates to the first `count` rows. */
  truncate(count: number): void {
    this.#heights.length = Math.min(count, this.count);
    this.#sums.length = this.count + 1;
  }
}
