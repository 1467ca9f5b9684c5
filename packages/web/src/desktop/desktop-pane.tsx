import { MonitorOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useCanEdit } from '../state/access.ts';
import { useCell } from '../state/cell.ts';
import { useCommands } from '../state/commands.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Keys } from '../ui/keys.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { DesktopBar } from './desktop-bar.tsx';
import { DesktopConnection } from './desktop-connection.ts';
import { DesktopScreen } from './desktop-screen.tsx';

export interface DesktopPaneProps {
  readonly chatId: string;
  readonly onPopOut?: () => void;
}

/** Shows the desktop of a chat's workspace and lets the user control it. */
export function DesktopPane({ chatId, onPopOut }: DesktopPaneProps) {
  const [connection, setConnection] = useState<DesktopConnection>();
  useEffect(() => {
    const opened = new DesktopConnection(chatId);
    setConnection(opened);
    return () => opened.close();
  }, [chatId]);
  return connection === undefined ? null : <Watched connection={connection} onPopOut={onPopOut} />;
}

function Watched({
  connection,
  onPopOut,
}: {
  readonly connection: DesktopConnection;
  readonly onPopOut: (() => void) | undefined;
}) {
  const canEdit = useCanEdit();
  const state = useCell(connection.state);
  const status = useCell(connection.status);
  const [fit, setFit] = useState(true);
  const frame = useRef<HTMLDivElement>(null);
  const control = useRef<HTMLButtonElement>(null);
  const mine = status?.yours === true;
  const fullScreen = () => {
    const toggled =
      document.fullscreenElement === null
        ? frame.current?.requestFullscreen()
        : document.exitFullscreen();
    toggled?.catch(() => undefined);
  };
  useCommands(
    state.kind === 'live' && canEdit
      ? [
          {
            id: 'desktop-control',
            title: mine ? 'Desktop: release control' : 'Desktop: take control',
            group: 'View',
            run: mine ? connection.giveBack : connection.takeControl,
          },
          {
            id: 'desktop-full-screen',
            title: 'Desktop: full screen',
            group: 'View',
            run: fullScreen,
          },
        ]
      : [],
  );
  if (state.kind !== 'live') return <NotLive connection={connection} />;
  return (
    <div ref={frame} className="flex h-full min-h-0 flex-col bg-background">
      <DesktopBar
        status={status}
        fit={fit}
        control={control}
        onTake={connection.takeControl}
        onGiveBack={connection.giveBack}
        onFit={() => setFit(!fit)}
        onFullScreen={fullScreen}
        onPopOut={onPopOut}
      />
      <DesktopScreen
        channel={state.channel}
        mine={mine}
        fit={fit}
        onLeave={() => control.current?.focus()}
      />
      {mine && (
        <p className="flex items-center gap-1.5 border-t border-line px-2 py-1 text-sm text-muted">
          <Keys keys="shift+escape" /> releases the keyboard
        </p>
      )}
    </div>
  );
}

function NotLive({ connection }: { readonly connection: DesktopConnection }) {
  const canEdit = useCanEdit();
  const state = useCell(connection.state);
  switch (state.kind) {
    case 'live':
      return null;
    case 'connecting':
      return <Spinner label="Connecting to the desktop" className="m-4" />;
    case 'waiting':
      return (
        <Notice kind="warn" className="m-3" title="Desktop connection lost">
          Reconnecting…
        </Notice>
      );
    case 'refused':
      return (
        <Notice kind="bad" className="m-3" title="The desktop cannot be shown">
          {state.reason}
        </Notice>
      );
    case 'none':
      return (
        <div className="flex flex-col gap-3 p-4">
          {state.problem !== undefined && (
            <Notice kind="bad" live title="The desktop could not be started">
              {state.problem}
            </Notice>
          )}
          <EmptyState
            icon={<MonitorOff />}
            title="No desktop is running"
            action={
              canEdit && (
                <Button kind="primary" onClick={() => void connection.start()}>
                  Start desktop
                </Button>
              )
            }
          >
            {state.reason}
          </EmptyState>
        </div>
      );
  }
}
