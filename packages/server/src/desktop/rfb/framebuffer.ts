/** The content of a screen: four bytes per pixel, of which red, green and blue are used. */
export class Framebuffer {
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.pixels = Buffer.alloc(width * height * 4);
  }

  holds(rect: Rect): boolean {
    return rect.x + rect.width <= this.width && rect.y + rect.height <= this.height;
  }

  draw({ x, y, width, height }: Rect, pixels: Buffer): void {
    for (let row = 0; row < height; row++) {
      const from = row * width * 4;
      pixels.copy(this.pixels, this.#at(x, y + row), from, from + width * 4);
    }
  }

  /** Copies rows in an order that never overwrites unread rows. */
  move({ x, y, width, height }: Rect, fromX: number, fromY: number): void {
    for (let step = 0; step < height; step++) {
      const row = fromY < y ? height - 1 - step : step;
      const from = this.#at(fromX, fromY + row);
      this.pixels.copy(this.pixels, this.#at(x, y + row), from, from + width * 4);
    }
  }

  #at(x: number, y: number): number {
    return (y * this.width + x) * 4;
  }
}

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
