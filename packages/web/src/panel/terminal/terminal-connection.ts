import { ReconnectingSocket, type SocketState } from '@chatd/client/socket';
import type { TerminalControl, TerminalNotice } from '@chatd/protocol';
import { apiPath } from '../../api/client.ts';
import { Cell, type ReadableCell } from '../../state/cell.ts';

export type TerminalState =
  | SocketState
  | { readonly kind: 'ended'; readonly code: number | null; readonly signal: string | null };

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export interface TerminalConnectionOptions {
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
}

/** A reconnecting connection to a terminal that resumes the same shell at the same byte. */
export class TerminalConnection {
  readonly #options: TerminalConnectionOptions;
  readonly #state = new Cell<TerminalState>({ kind: 'connecting' });
  readonly #opening: ReturnType<typeof setTimeout>;
  #socket: ReconnectingSocket | undefined;
  #terminalId: string | undefined;
  /** The number of bytes shown so far. */
  #seen: number | undefined;
  #replay = 0;

  constructor(options: TerminalConnectionOptions) {
    this.#options = options;
    this.#terminalId = options.terminalId;
    // Deferred, so that a view that is unmounted immediately opens no shell.
    this.#opening = setTimeout(() => this.#open());
  }

  get state(): ReadableCell<TerminalState> {
    return this.#state;
  }

  readonly reconnectNow = (): void => this.#socket?.reconnectNow();

  type(bytes: Uint8Array<ArrayBuffer>): void {
    this.#socket?.send(bytes);
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
    clearTimeout(this.#opening);
    this.#socket?.close();
  }

  #say(control: TerminalControl): void {
    this.#socket?.send(JSON.stringify(control));
  }

  #open(): void {
    this.#socket = new ReconnectingSocket({
      url: () => this.#url(),
      onMessage: (data) =>
        typeof data === 'string'
          ? this.#hear(JSON.parse(data) as TerminalNotice)
          : this.#show(data),
      onState: (state) => {
        // Live only once the terminal is ready.
        if (state.kind !== 'live') this.#state.set(state);
      },
      whyRefused: this.#options.whyRefused,
    });
  }

  #url(): URL {
    const { workspaceId, size } = this.#options;
    const url = new URL(apiPath(`/workspaces/${workspaceId}/terminal`), location.href);
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
}
