import { type LiveLines, Screen } from '../terminal/screen.ts';

const FRAME_MS = 40;
/** Durations on the screen are in seconds. */
const TICK_MS = 1000;
const NOTHING: LiveLines = { lines: [''], row: 0, column: 0 };

/** Redraws the screen on changes, at a limited rate. */
export class Canvas {
  readonly screen: Screen;
  readonly #stdout: NodeJS.WriteStream;
  readonly #draw: () => LiveLines;
  readonly #redraw = () => this.request();
  #printed: string[] = [];
  #frame: NodeJS.Timeout | undefined;
  #tick: NodeJS.Timeout | undefined;

  constructor(stdout: NodeJS.WriteStream, draw: () => LiveLines) {
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

  /** Removes the live lines. Printed lines stay. */
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

  clear(): void {
    this.screen.clear();
    this.request();
  }
}
