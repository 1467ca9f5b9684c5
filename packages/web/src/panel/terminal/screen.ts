import { FitAddon } from '@xterm/addon-fit';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';
import { shownAppearance } from '../../state/appearance.ts';
import { isSafeAddress } from '../../ui/safe-address.ts';
import type { TerminalSize } from './terminal-connection.ts';
import { terminalTheme } from './terminal-theme.ts';
import '@xterm/xterm/css/xterm.css';

export interface ScreenEvents {
  readonly onTyped: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly onResized: (size: TerminalSize) => void;
  /** Lets keyboard users leave the terminal. */
  readonly onLeave: () => void;
}

/** Program output is untrusted: links open in a new tab, and only on click. */
function open(_: unknown, address: string): void {
  if (isSafeAddress(address)) window.open(address, '_blank', 'noopener,noreferrer');
}

/** A terminal screen that fits its element. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #encoder = new TextEncoder();
  readonly #stops: (() => void)[] = [];
  /** Replayed bytes whose terminal queries were answered before. */
  #replaying = 0;

  constructor(element: HTMLElement, events: ScreenEvents, forReaders: boolean) {
    const terminal = new Terminal({
      fontFamily: 'monospace',
      fontSize: 13,
      scrollback: 5000,
      cursorBlink: false,
      screenReaderMode: forReaders,
      minimumContrastRatio: 4.5,
      theme: terminalTheme(shownAppearance.get()),
      linkHandler: { activate: open },
    });
    this.#terminal = terminal;
    terminal.loadAddon(this.#fit);
    terminal.loadAddon(new WebLinksAddon(open));
    terminal.open(element);
    terminal.attachCustomKeyEventHandler((event) => this.#key(event, events));
    terminal.onData((text) => {
      // Queries in replayed output were answered the first time.
      if (this.#replaying === 0) events.onTyped(this.#encoder.encode(text));
    });
    terminal.onBinary((text) =>
      events.onTyped(Uint8Array.from(text, (character) => character.charCodeAt(0))),
    );
    terminal.onResize((size) => events.onResized(size));
    const observer = new ResizeObserver(() => this.fit());
    observer.observe(element);
    this.#stops.push(
      () => observer.disconnect(),
      shownAppearance.subscribe(() => {
        terminal.options.theme = terminalTheme(shownAppearance.get());
      }),
    );
    this.fit();
    void this.#useFont();
  }

  /** Setting the font measures its characters, so it has to be loaded before. */
  async #useFont(): Promise<void> {
    const family = getComputedStyle(document.documentElement).getPropertyValue('--font-mono');
    await document.fonts.load(`13px ${family}`);
    this.#terminal.options.fontFamily = family;
    this.fit();
  }

  get size(): TerminalSize {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  fit(): void {
    this.#fit.fit();
  }

  focus(): void {
    this.#terminal.focus();
  }

  reset(): void {
    this.#terminal.reset();
  }

  write(bytes: Uint8Array, replayed: boolean): void {
    if (!replayed) return this.#terminal.write(bytes);
    this.#replaying += 1;
    this.#terminal.write(bytes, () => (this.#replaying -= 1));
  }

  /** Screen readers get a readable copy of the screen. */
  setForReaders(on: boolean): void {
    this.#terminal.options.screenReaderMode = on;
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#terminal.dispose();
  }

  /** False: the key is not for the program. */
  #key(event: KeyboardEvent, events: ScreenEvents): boolean {
    if (event.type !== 'keydown') return true;
    if (event.key === 'Escape' && event.shiftKey) {
      event.preventDefault();
      events.onLeave();
      return false;
    }
    const copies = event.ctrlKey && event.shiftKey && event.code === 'KeyC';
    if (!copies || !this.#terminal.hasSelection()) return true;
    event.preventDefault();
    void navigator.clipboard.writeText(this.#terminal.getSelection());
    return false;
  }
}
