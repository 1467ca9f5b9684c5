import { type Live, Screen } from '../terminal/screen.ts';

/** Often enough to look alive, seldom enough to be calm. */
const FRAME_MS = 40;
/** Durations count in seconds. */
const TICK_MS = 1000;
const NOTHING: Live = { lines: [''], row: 0, column: 0 };

/** Draws the screen again when something has changed, and not more often than anybody can see. */
export class Canvas {
  readonly screen: Screen;
  readonly #stdout: NodeJS.WriteStream;
  readonly #draw: () => Live;
  readonly #redraw = () => this.request();
  #printed: string[] = [];
  #frame: NodeJS.Timeout | undefined;
  #tick: NodeJS.Timeout | undefined;

  constructor(stdout: NodeJS.WriteStream, draw: () => Live) {
    this.#stdout = stdout;
    this.#draw = draw;
    this.screen = new Screen({
      write: (text) => void stdout.write(text),
      get columns() {
        return stdout.columns;
      },
      get rows() {
        return stdout.rows;
      },
    });
  }

  begin(): void {
    this.screen.begin();
    this.#stdout.on('resize', this.#redraw);
    this.#tick = setInterval(this.#redraw, TICK_MS);
    this.request();
  }

  /** What was printed stays; the rest is taken away. */
  end(): void {
    clearInterval(this.#tick);
    clearTimeout(this.#frame);
    this.#tick = undefined;
    this.#frame = undefined;
    this.#stdout.off('resize', this.#redraw);
    this.screen.update(this.#printed.splice(0), NOTHING);
    this.screen.end();
  }

  print(lines: readonly string[]): void {
    this.#printed.push(...lines);
    this.request();
  }

  request(): void {
    if (this.#tick === undefined) return;
    this.#frame ??= setTimeout(() => {
      this.#frame = undefined;
      this.screen.update(this.#printed.splice(0), this.#draw());
    }, FRAME_MS);
  }

  /** From an empty screen. */
  clear(): void {
    this.screen.clear();
    this.request();
  }
}
