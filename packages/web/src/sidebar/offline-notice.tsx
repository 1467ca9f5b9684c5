import { CloudOff } from 'lucide-react';
import { useCell } from '../state/cell.ts';
import type { LiveSocket } from '../state/live-socket.ts';
import { Button } from '../ui/button.tsx';

/** Shown while the list is not live. Short interruptions are not shown. */
export function OfflineNotice({ socket }: { readonly socket: LiveSocket }) {
  const state = useCell(socket.state);
  const lost = state.kind === 'waiting' && state.attempt > 1;
  return (
    <div role="status">
      {lost && (
        <p className="mx-2 mb-1 flex items-center gap-2 rounded-lg bg-warn-surface px-2 py-1 text-sm text-warn">
          <CloudOff aria-hidden className="size-4 shrink-0" />
          <span className="flex-1">Offline. Reconnecting…</span>
          <Button size="small" kind="quiet" onClick={socket.reconnectNow}>
            Retry now
          </Button>
        </p>
      )}
      {state.kind === 'refused' && (
        <p className="mx-2 mb-1 rounded-lg bg-bad-surface px-2 py-1 text-sm text-bad">
          {state.reason}
        </p>
      )}
    </div>
  );
}
