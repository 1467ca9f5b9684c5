import type { Clock } from '@chatd/loop';
import type { TerminalInfo, TerminalNotice } from '@chatd/protocol';
import type { Ending } from '../../stream/outlet.ts';
import type { ProcessExit, RunningTerminal, TerminalSize } from '../../machine/drivers/driver.ts';
import { controlIn, noticeText } from './control.ts';
import { Scrollback } from './scrollback.ts';

/** A client connected to a terminal over a WebSocket. */
export interface TerminalConnection {
  readonly backlog: number;
  send(data: Uint8Array | string): void;
  drained(): Promise<void>;
  onMessage(listener: (data: string | Buffer) => void): void;
  onClosed(listener: () => void): void;
  close(ending: Ending, reason?: string): void;
}

export interface TerminalOptions {
  readonly id: string;
  readonly clock: Clock;
  readonly scrollbackBytes: number;
  /** How long the terminal is kept without connections. */
  readonly keepMs: number;
  /** Called on input and on output that a client receives. */
  readonly onUse: () => void;
  readonly onEnd: () => void;
}

/** Unsent bytes per client above which the program is paused. */
const MAX_BACKLOG_BYTES = 1024 * 1024;
/** Time between SIGHUP and SIGKILL. */
const KILL_AFTER_MS = 2000;

/** A shell that several clients can share. It keeps running for a while after the last one disconnects. */
export class Terminal {
  readonly id: string;
  readonly createdAt: Date;
  readonly #options: TerminalOptions;
  readonly #scrollback: Scrollback;
  readonly #connections = new Set<TerminalConnection>();
  readonly #slow = new Set<TerminalConnection>();
  #running: RunningTerminal | undefined;
  #leaving: (() => void) | undefined;
  #exit: ProcessExit | undefined;

  constructor(options: TerminalOptions) {
    this.id = options.id;
    this.createdAt = new Date(options.clock.now());
    this.#options = options;
    this.#scrollback = new Scrollback(options.scrollbackBytes);
  }

  get info(): TerminalInfo {
    return {
      id: this.id,
      created_at: this.createdAt.toISOString(),
      viewers: this.#connections.size,
    };
  }

  /** Call when the program has started. Its output goes to `output`. */
  started(running: RunningTerminal): void {
    this.#running = running;
    this.#waitForVisitors();
    void running.exit.then((exit) => this.#ended(exit));
  }

  output(bytes: Uint8Array): void {
    const copy = this.#scrollback.push(bytes);
    for (const connection of this.#connections) {
      connection.send(copy);
      if (connection.backlog > MAX_BACKLOG_BYTES) this.#waitFor(connection);
    }
    if (this.#connections.size > 0) this.#options.onUse();
  }

  /** Replays the scrollback after `seen`, then follows the output. */
  attach(connection: TerminalConnection, seen: number | undefined, isNew: boolean): void {
    this.#leaving?.();
    const { from, bytes } = this.#scrollback.after(seen);
    const resumed = seen !== undefined && from === seen;
    const begins = { terminal_id: this.id, is_new: isNew, resumed, from, replay: bytes.length };
    tell(connection, { type: 'ready', ...begins });
    if (bytes.length > 0) connection.send(bytes);
    if (this.#exit !== undefined) return this.#tellEnd(connection, this.#exit);
    this.#connections.add(connection);
    connection.onMessage((data) => this.#take(data));
    connection.onClosed(() => {
      this.#connections.delete(connection);
      this.#tookAll(connection);
      if (this.#connections.size === 0) this.#waitForVisitors();
    });
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

  #take(data: string | Buffer): void {
    if (this.#exit !== undefined) return;
    this.#options.onUse();
    if (typeof data !== 'string') return this.#running?.write(data);
    const control = controlIn(data);
    switch (control?.type) {
      case 'resize':
        return this.#resize(control);
      case 'close':
        return void this.end();
      case undefined:
        return;
    }
  }

  #resize({ cols, rows }: TerminalSize): void {
    this.#running?.resize({ cols, rows });
  }

  #waitFor(connection: TerminalConnection): void {
    if (this.#slow.has(connection)) return;
    this.#slow.add(connection);
    this.#running?.flow(false);
    void connection.drained().then(() => this.#tookAll(connection));
  }

  #tookAll(connection: TerminalConnection): void {
    if (this.#slow.delete(connection) && this.#slow.size === 0) this.#running?.flow(true);
  }

  #waitForVisitors(): void {
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
    for (const connection of this.#connections) this.#tellEnd(connection, exit);
    this.#options.onEnd();
  }

  #tellEnd(connection: TerminalConnection, exit: ProcessExit): void {
    tell(connection, { type: 'exit', ...exit });
    connection.close('gone', 'the terminal has ended');
  }
}

function tell(connection: TerminalConnection, notice: TerminalNotice): void {
  connection.send(noticeText(notice));
}
