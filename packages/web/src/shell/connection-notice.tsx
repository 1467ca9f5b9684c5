import { useCell } from '../state/cell.ts';
import type { LiveSocket } from '../state/live-socket.ts';
import { Button } from '../ui/button.tsx';
import { useNow } from '../ui/use-now.ts';

/** Shown while the connection to the server is lost. */
export function ConnectionNotice({ socket }: { readonly socket: LiveSocket }) {
  const state = useCell(socket.state);
  const now = useNow(state.kind === 'waiting');
  // Short interruptions are not shown.
  const lost = state.kind === 'waiting' && state.attempt > 1;
  return (
    <div role="status" aria-live="polite">
      {lost && (
        <p className="flex items-center justify-center gap-3 bg-warn-surface px-3 py-1 text-sm text-warn">
          Connection lost. Retrying in {Math.max(0, Math.ceil((state.until - now) / 1000))} s.
          <Button size="small" kind="quiet" onClick={socket.reconnectNow}>
            Retry now
          </Button>
        </p>
      )}
      {state.kind === 'refused' && (
        <p className="bg-bad-surface px-3 py-1 text-center text-sm text-bad">{state.reason}</p>
      )}
    </div>
  );
}
