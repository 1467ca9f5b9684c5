import type { TerminalNotice } from '@chatd/protocol';
import type { ProcessExit } from '../../machine/drivers/driver.ts';
import type { HostedTerminals, TerminalView } from '../../machine/machine.ts';
import type { Ending } from '../../stream/outlet.ts';
import { controlIn, noticeText } from './control.ts';

/** A client connected to a terminal over a WebSocket. */
export interface TerminalConnection {
  readonly backlog: number;
  send(data: Uint8Array | string): void;
  drained(): Promise<void>;
  onMessage(listener: (data: string | Buffer) => void): void;
  onClosed(listener: () => void): void;
  close(ending: Ending, reason?: string): void;
}

export interface ConnectOptions {
  readonly terminals: HostedTerminals;
  readonly id: string;
  readonly isNew: boolean;
  readonly seen: number | undefined;
  /** Called on input and on output. */
  readonly onUse: () => void;
}

/** Unsent bytes above which the program is paused. */
const MAX_BACKLOG_BYTES = 1024 * 1024;
/** Unsent bytes above which the client is cut, because the machine does not pause the program. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024;

/** Connects a client to a terminal until one of them ends. Input may arrive before the terminal has responded. */
export function connectTerminal(
  connection: TerminalConnection,
  { terminals, id, isNew, seen, onUse }: ConnectOptions,
): void {
  /** Output that arrives before the client knows its position. */
  let early: Uint8Array[] | undefined = [];
  let earlyBytes = 0;
  let ended: ProcessExit | 'lost' | undefined;
  let isClosed = false;
  let isSlow = false;
  const end = (exit: ProcessExit | 'lost') => {
    if (exit === 'lost')
      return connection.close('failed', 'the connection to the machine was lost');
    tell(connection, { type: 'exit', ...exit });
    connection.close('gone', 'the terminal has ended');
  };
  const viewing = terminals
    .attach(id, seen, {
      onOutput(bytes) {
        if (isClosed) return;
        if (early === undefined) return show(bytes);
        early.push(bytes);
        earlyBytes += bytes.length;
        if (earlyBytes > MAX_UNSENT_BYTES) connection.close('slow');
      },
      onEnd(exit) {
        ended = exit ?? 'lost';
        if (early === undefined) end(ended);
      },
    })
    .then((view) => {
      if (view === undefined) {
        connection.close('gone', 'the terminal has ended');
        return undefined;
      }
      if (isClosed) {
        view.leave();
        return undefined;
      }
      const { from, resumed, replay } = view;
      tell(connection, { type: 'ready', terminal_id: id, is_new: isNew, resumed, from, replay });
      const waiting = early ?? [];
      early = undefined;
      for (const bytes of waiting) connection.send(bytes);
      if (ended !== undefined) end(ended);
      return view;
    })
    .catch(() => {
      connection.close('failed', 'the connection to the machine was lost');
      return undefined;
    });
  const act = (action: (view: TerminalView) => void) => {
    void viewing.then((view) => view && action(view));
  };
  const show = (bytes: Uint8Array) => {
    connection.send(bytes);
    onUse();
    if (connection.backlog > MAX_UNSENT_BYTES) return connection.close('slow');
    if (isSlow || connection.backlog <= MAX_BACKLOG_BYTES) return;
    isSlow = true;
    act((view) => view.flow(false));
    void resume();
  };
  const resume = async () => {
    await connection.drained();
    isSlow = false;
    act((view) => view.flow(true));
  };
  connection.onMessage((data) => {
    onUse();
    if (typeof data !== 'string') return act((view) => view.write(data));
    const control = controlIn(data);
    if (control?.type === 'resize') act((view) => view.resize(control));
    else if (control?.type === 'close') act((view) => view.end());
  });
  connection.onClosed(() => {
    isClosed = true;
    act((view) => view.leave());
  });
}

function tell(connection: TerminalConnection, notice: TerminalNotice): void {
  connection.send(noticeText(notice));
}
