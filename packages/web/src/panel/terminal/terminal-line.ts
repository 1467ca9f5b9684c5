import type { TerminalControl, TerminalNotice } from '@chatd/protocol';
import { apiPath } from '../../api/client.ts';
import { Cell, type ReadableCell } from '../../state/cell.ts';
import { type Clock, systemClock } from '../../state/clock.ts';
import type { LineState } from '../../state/live-socket.ts';
import { reconnectDelay, socketAddress } from '../../state/reconnecting.ts';

export type TerminalState =
  | LineState
  | { readonly kind: 'ended'; readonly code: number | null; readonly signal: string | null };

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export interface TerminalLineOptions {
  readonly workspaceId: string;
  /** An open terminal; undefined: a new one. */
  readonly terminalId: string | undefined;
  readonly size: () => TerminalSize;
  /** Called before its bytes: whether output continues or is shown again from the start. */
  readonly onReady: (notice: TerminalNotice & { readonly type: 'ready' }) => void;
  /** `replayed`: shown before; terminal queries in it were already answered. */
  readonly onBytes: (bytes: Uint8Array, replayed: boolean) => void;
  /** Called when a connection could not be opened. Returns the reason if retrying is pointless. */
  readonly whyRefused: () => Promise<string | undefined>;
  readonly clock?: Clock;
}

/** A reconnecting connection to a terminal that resumes the same shell at the same byte. */
export class TerminalLine {
  readonly #options: TerminalLineOptions;
  readonly #clock: Clock;
  readonly #state = new Cell<TerminalState>({ kind: 'connecting' });
  #socket: WebSocket | undefined;
  #terminalId: string | undefined;
  /** The number of bytes shown so far. */
  #seen: number | undefined;
  #replay = 0;
  #attempt = 0;
  #closed = false;
  #forgetTimer: () => void = () => undefined;

  constructor(options: TerminalLineOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#terminalId = options.terminalId;
    addEventListener('online', this.reconnectNow);
    // Deferred, so that a view that is unmounted immediately opens no shell.
    this.#forgetTimer = this.#clock.later(0, () => this.#connect());
  }

  get state(): ReadableCell<TerminalState> {
    return this.#state;
  }

  readonly reconnectNow = (): void => {
    if (this.#closed || this.#state.get().kind !== 'waiting') return;
    this.#forgetTimer();
    this.#connect();
  };

  type(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(bytes);
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#say({ type: 'resize', cols, rows });
  }

  /** Ends the shell. */
  end(): void {
    this.#say({ type: 'close' });
  }

  /** Leaves the shell running. */
  close(): void {
    this.#closed = true;
    removeEventListener('online', this.reconnectNow);
    this.#forgetTimer();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #say(control: TerminalControl): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(control));
  }

  #connect(): void {
    if (this.#closed) return;
    this.#state.set({ kind: 'connecting' });
    const socket = new WebSocket(this.#address());
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    let opened = false;
    socket.addEventListener('open', () => {
      opened = true;
    });
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (this.#socket !== socket) return;
      if (typeof data === 'string') this.#hear(JSON.parse(data) as TerminalNotice);
      else this.#show(new Uint8Array(data));
    });
    socket.addEventListener('close', () => {
      if (this.#socket === socket) void this.#lost(opened);
    });
  }

  #address(): URL {
    const { workspaceId, size } = this.#options;
    const url = socketAddress(apiPath(`/workspaces/${workspaceId}/terminal`));
    const { cols, rows } = size();
    url.searchParams.set('cols', String(cols));
    url.searchParams.set('rows', String(rows));
    if (this.#terminalId !== undefined) url.searchParams.set('terminal_id', this.#terminalId);
    if (this.#seen !== undefined) url.searchParams.set('after', String(this.#seen));
    return url;
  }

  #hear(notice: TerminalNotice): void {
    if (notice.type === 'exit') {
      this.close();
      this.#state.set({ kind: 'ended', code: notice.code, signal: notice.signal });
      return;
    }
    this.#attempt = 0;
    this.#terminalId = notice.terminal_id;
    this.#seen = notice.from;
    this.#replay = notice.resumed ? 0 : notice.replay;
    this.#options.onReady(notice);
    this.#state.set({ kind: 'live' });
    this.resize(this.#options.size());
  }

  #show(bytes: Uint8Array): void {
    this.#seen = (this.#seen ?? 0) + bytes.length;
    const replayed = this.#replay > 0;
    this.#replay = Math.max(0, this.#replay - bytes.length);
    this.#options.onBytes(bytes, replayed);
  }

  async #lost(opened: boolean): Promise<void> {
    this.#socket = undefined;
    const reason = opened ? undefined : await this.#options.whyRefused();
    if (this.#closed) return;
    if (reason !== undefined) {
      this.#state.set({ kind: 'refused', reason });
      return;
    }
    const delay = reconnectDelay(this.#attempt, this.#clock.random());
    this.#attempt += 1;
    const until = this.#clock.now() + delay;
    this.#state.set({ kind: 'waiting', until, attempt: this.#attempt });
    this.#forgetTimer = this.#clock.later(delay, () => this.#connect());
  }
}
