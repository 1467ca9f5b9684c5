import { fitted, type Size } from '../../desktop/picture/scale.ts';
import type { Point } from '../../desktop/screen.ts';
import type { Rect } from '../../desktop/rfb/framebuffer.ts';

/**
 * Image size that providers do not scale down, so that the model's coordinates match the screenshot. Anthropic has the
 * lowest limits.
 */
const LIMIT = { edge: 1568, pixels: 1_150_000 };
const MAX_SCALE = 4;

export const shownSize = (screen: Size): Size => fitted(screen, LIMIT);

/** Converts between screen pixels and screenshot pixels. */
export class View {
  readonly screen: Size;
  readonly shown: Size;

  constructor(screen: Size) {
    this.screen = screen;
    this.shown = shownSize(screen);
  }

  /** Throws if the point is outside the screenshot. */
  toScreen({ x, y }: Point): Point {
    const { width, height } = this.shown;
    if (!(x >= 0 && y >= 0 && x <= width && y <= height)) {
      throw new Error(
        `[${x}, ${y}] is outside the screen. The screenshot is ${width} × ${height} pixels. Nothing was done.`,
      );
    }
    // The center of a screenshot pixel maps to the center of the area that it covers.
    return {
      x: clamp((x + 0.5) * (this.screen.width / width) - 0.5, this.screen.width),
      y: clamp((y + 0.5) * (this.screen.height / height) - 0.5, this.screen.height),
    };
  }

  toShown({ x, y }: Point): Point {
    return {
      x: clamp((x + 0.5) * (this.shown.width / this.screen.width) - 0.5, this.shown.width),
      y: clamp((y + 0.5) * (this.shown.height / this.screen.height) - 0.5, this.shown.height),
    };
  }

  /** A part of the screen, and the size in which to show it: as large as the limits allow. */
  zoom([left, top, right, bottom]: readonly [number, number, number, number]): {
    readonly part: Rect;
    readonly size: Size;
  } {
    const from = this.toScreen({ x: Math.min(left, right), y: Math.min(top, bottom) });
    const to = this.toScreen({ x: Math.max(left, right), y: Math.max(top, bottom) });
    const [width, height] = [Math.max(1, to.x - from.x), Math.max(1, to.y - from.y)];
    const factor = Math.min(MAX_SCALE, this.shown.width / width, this.shown.height / height);
    const wanted = { width: Math.round(width * factor), height: Math.round(height * factor) };
    return { part: { ...from, width, height }, size: fitted(wanted, LIMIT) };
  }
}

const clamp = (value: number, size: number) => Math.max(0, Math.min(size - 1, Math.round(value)));
