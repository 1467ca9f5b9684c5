import type { Framebuffer, Rect } from '../rfb/framebuffer.ts';
import type { Picture } from './png.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The largest size within the limits that keeps the aspect ratio. Never enlarges. */
export function fitted(
  size: Size,
  limit: { readonly edge: number; readonly pixels: number },
): Size {
  const { width, height } = size;
  const factor = Math.min(
    1,
    limit.edge / Math.max(width, height),
    Math.sqrt(limit.pixels / (width * height)),
  );
  return {
    width: Math.max(1, Math.floor(width * factor)),
    height: Math.max(1, Math.floor(height * factor)),
  };
}

interface Span {
  readonly from: number;
  /** The weight of each pixel from `from` on. Weights add up to 1. */
  readonly shares: readonly number[];
}

/** Scales a part of a screen with area averaging, so that thin lines stay visible. */
export function scaled(screen: Framebuffer, part: Rect, to: Size): Picture {
  const rgb = Buffer.allocUnsafe(to.width * to.height * 3);
  const columns = spans(part.x, part.width, to.width);
  const rows = spans(part.y, part.height, to.height);
  const { pixels, width: stride } = screen;
  // Sums one row at a time. Plain loops, because there are millions of pixels.
  const sums = new Float32Array(part.width * 3);
  let at = 0;
  for (const row of rows) {
    sums.fill(0);
    for (let down = 0; down < row.shares.length; down++) {
      const share = row.shares[down] ?? 0;
      let pixel = ((row.from + down) * stride + part.x) * 4;
      for (let sum = 0; sum < sums.length; sum += 3) {
        sums[sum] = (sums[sum] ?? 0) + (pixels[pixel] ?? 0) * share;
        sums[sum + 1] = (sums[sum + 1] ?? 0) + (pixels[pixel + 1] ?? 0) * share;
        sums[sum + 2] = (sums[sum + 2] ?? 0) + (pixels[pixel + 2] ?? 0) * share;
        pixel += 4;
      }
    }
    for (const { from, shares } of columns) {
      let [red, green, blue] = [0.5, 0.5, 0.5];
      let sum = (from - part.x) * 3;
      for (let right = 0; right < shares.length; right++) {
        const share = shares[right] ?? 0;
        red += (sums[sum] ?? 0) * share;
        green += (sums[sum + 1] ?? 0) * share;
        blue += (sums[sum + 2] ?? 0) * share;
        sum += 3;
      }
      rgb[at++] = red;
      rgb[at++] = green;
      rgb[at++] = blue;
    }
  }
  return { ...to, rgb };
}

/** The source pixels, of `count` from `start` on, that each of `parts` target pixels covers. */
function spans(start: number, count: number, parts: number): Span[] {
  const step = count / parts;
  return Array.from({ length: parts }, (_, index) => {
    const [low, high] = [index * step, (index + 1) * step];
    const first = Math.min(Math.floor(low), count - 1);
    const last = Math.max(first, Math.min(Math.ceil(high), count) - 1);
    const shares: number[] = [];
    for (let pixel = first; pixel <= last; pixel++) {
      const covered = Math.min(high, pixel + 1) - Math.max(low, pixel);
      shares.push(Math.max(covered, 0) / step);
    }
    return { from: start + first, shares };
  });
}
