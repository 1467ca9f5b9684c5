import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type ReadableCell, useCell } from '../../state/cell.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Keys } from '../../ui/keys.tsx';
import type { OpenTerminal } from './open-terminals.ts';
import { Screen } from './screen.ts';
import { TerminalConnection, type TerminalState } from './terminal-connection.ts';
import { whyNoTerminal } from './why-no-terminal.ts';

export interface TerminalViewProps {
  readonly workspaceId: string;
  readonly terminal: OpenTerminal;
  readonly reading: boolean;
  readonly onOpened: (terminalId: string) => void;
  /** Called when an ended terminal is dismissed. */
  readonly onGone: () => void;
  /** Moves the focus elsewhere. */
  readonly onLeave: () => void;
}

/** One terminal: its screen and connection status. */
export function TerminalView(props: TerminalViewProps) {
  const { workspaceId, terminal, reading, onGone } = props;
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  const [open, setOpen] = useState<{
    readonly connection: TerminalConnection;
    readonly screen: Screen;
  }>();
  const [isNew, setIsNew] = useState(false);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    if (element.current === null) return;
    const { terminalId } = latest.current.terminal;
    let connection: TerminalConnection | undefined;
    let shownBefore = false;
    const screen = new Screen(
      element.current,
      {
        onTyped: (bytes) => connection?.type(bytes),
        // Sized before the connection is opened.
        onResized: (size) => connection?.resize(size),
        onLeave: () => latest.current.onLeave(),
      },
      latest.current.reading,
    );
    const opened = new TerminalConnection({
      workspaceId,
      terminalId,
      size: () => screen.size,
      onReady(notice) {
        if (!notice.resumed) screen.reset();
        setIsNew(notice.is_new && (shownBefore || terminalId !== undefined));
        shownBefore = true;
        latest.current.onOpened(notice.terminal_id);
      },
      onBytes: (bytes, replayed) => screen.write(bytes, replayed),
      whyRefused: () => whyNoTerminal(workspaceId),
    });
    connection = opened;
    setOpen({ connection: opened, screen });
    screen.focus();
    return () => {
      opened.close();
      screen.close();
    };
  }, [workspaceId]);
  useEffect(() => open?.screen.setForReaders(reading), [open, reading]);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div ref={element} className="min-h-0 flex-1 overflow-hidden p-2" />
      <div className="flex min-h-9 items-center gap-2 border-t border-line px-2 text-sm text-muted">
        <p role="status" aria-live="polite" className="min-w-0 flex-1">
          {open !== undefined && (
            <State state={open.connection.state} connection={open.connection} isNew={isNew} />
          )}
        </p>
        <span className="hidden items-center gap-1.5 sm:flex">
          <span className="text-text">
            <Keys keys="shift+escape" />
          </span>
          releases the keyboard
        </span>
        <IconButton
          label={`Close terminal ${terminal.number}`}
          size="small"
          onClick={() => {
            open?.connection.end();
            onGone();
          }}
        >
          <X />
        </IconButton>
      </div>
    </div>
  );
}

function State({
  state: cell,
  connection,
  isNew,
}: {
  readonly state: ReadableCell<TerminalState>;
  readonly connection: TerminalConnection;
  readonly isNew: boolean;
}) {
  const state = useCell(cell);
  switch (state.kind) {
    case 'connecting':
      return 'Connecting…';
    case 'live':
      return isNew ? 'The previous shell has ended. This is a new one.' : 'Connected';
    case 'waiting':
      return (
        <span className="flex items-center gap-2 text-warn">
          Connection lost. The shell keeps running. Reconnecting…
          <Button size="small" kind="quiet" onClick={connection.reconnectNow}>
            Retry now
          </Button>
        </span>
      );
    case 'refused':
      return <span className="text-bad">{state.reason}</span>;
    case 'ended':
      return endedText(state);
  }
}

function endedText({ code, signal }: TerminalState & { readonly kind: 'ended' }): string {
  if (signal !== null) return `The shell was terminated (${signal}).`;
  return code === 0 ? 'The shell has ended.' : `The shell has ended with exit code ${code}.`;
}
