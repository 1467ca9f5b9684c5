import type { Clock } from '@chatd/loop';
import type { ProcessExit, RunningTerminal } from '../drivers/driver.ts';
import type { TerminalEntry, TerminalView, TerminalViewer } from '../machine.ts';
import { Scrollback } from './scrollback.ts';

export interface LocalTerminalOptions {
  readonly id: string;
  readonly clock: Clock;
  readonly scrollbackBytes: number;
  readonly keepMs: number;
  readonly onInput: () => void;
  readonly onEnd: () => void;
}

/** Time between SIGHUP and SIGKILL. */
const KILL_AFTER_MS = 2000;

/** A shell that several viewers can share. It keeps running for a while after the last one has left. */
export class LocalTerminal {
  readonly id: string;
  readonly #options: LocalTerminalOptions;
  readonly #createdAt: number;
  readonly #scrollback: Scrollback;
  readonly #viewers = new Set<TerminalViewer>();
  readonly #slow = new Set<TerminalViewer>();
  #running: RunningTerminal | undefined;
  #leaving: (() => void) | undefined;
  #exit: ProcessExit | undefined;

  constructor(options: LocalTerminalOptions) {
    this.id = options.id;
    this.#options = options;
    this.#createdAt = options.clock.now();
    this.#scrollback = new Scrollback(options.scrollbackBytes);
  }

  get entry(): TerminalEntry {
    return { id: this.id, createdAt: this.#createdAt, viewers: this.#viewers.size };
  }

  /** Call when the program has started. Its output goes to `output`. */
  started(running: RunningTerminal): void {
    this.#running = running;
    this.#waitForViewers();
    void running.exit.then((exit) => this.#ended(exit));
  }

  output(bytes: Uint8Array): void {
    const copy = this.#scrollback.push(bytes);
    for (const viewer of this.#viewers) viewer.onOutput(copy);
  }

  attach(seen: number | undefined, viewer: TerminalViewer): TerminalView {
    this.#leaving?.();
    const { from, bytes } = this.#scrollback.after(seen);
    this.#viewers.add(viewer);
    if (bytes.length > 0) viewer.onOutput(bytes);
    if (this.#exit !== undefined) viewer.onEnd(this.#exit);
    return {
      from,
      resumed: seen !== undefined && from === seen,
      replay: bytes.length,
      write: (data) => {
        this.#options.onInput();
        if (this.#exit === undefined) this.#running?.write(data);
      },
      resize: ({ cols, rows }) => {
        if (this.#exit === undefined) this.#running?.resize({ cols, rows });
      },
      flow: (on) => this.#flow(viewer, on),
      end: () => void this.end(),
      leave: () => {
        if (!this.#viewers.delete(viewer)) return;
        this.#flow(viewer, true);
        if (this.#viewers.size === 0) this.#waitForViewers();
      },
    };
  }

  /** Sends SIGHUP, as closing a terminal window does, then SIGKILL. */
  async end(): Promise<void> {
    this.#leaving?.();
    const running = this.#running;
    if (running === undefined || this.#exit !== undefined) return;
    await running.signal('SIGHUP').catch(() => undefined);
    const cancel = this.#options.clock.after(KILL_AFTER_MS, () => {
      running.signal('SIGKILL').catch(() => undefined);
    });
    await running.exit;
    cancel();
  }

  /** The program waits while one of the viewers does not keep up. */
  #flow(viewer: TerminalViewer, on: boolean): void {
    const before = this.#slow.size;
    if (on) this.#slow.delete(viewer);
    else if (this.#viewers.has(viewer)) this.#slow.add(viewer);
    if (before === 0 && this.#slow.size > 0) this.#running?.flow(false);
    if (before > 0 && this.#slow.size === 0) this.#running?.flow(true);
  }

  #waitForViewers(): void {
    if (this.#exit !== undefined) return;
    this.#leaving?.();
    const cancel = this.#options.clock.after(this.#options.keepMs, () => void this.end());
    this.#leaving = () => {
      cancel();
      this.#leaving = undefined;
    };
  }

  #ended(exit: ProcessExit): void {
    this.#exit = exit;
    this.#leaving?.();
    for (const viewer of this.#viewers) viewer.onEnd(exit);
    this.#options.onEnd();
  }
}
