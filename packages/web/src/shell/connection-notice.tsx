import { CloudOff } from 'lucide-react';
import { useCell } from '../state/cell.ts';
import { connection } from '../state/connection.ts';
import { Button } from '../ui/button.tsx';
import { useNow } from '../ui/use-now.ts';

/** Shown on every page while the connection to the server is lost. */
export function ConnectionNotice() {
  const until = useCell(connection.lost);
  return (
    <div role="status">
      {until !== null && (
        <p className="flex items-center justify-center gap-2 bg-warn-surface px-3 py-1 text-sm text-warn">
          <CloudOff aria-hidden className="size-4 shrink-0" />
          Connection lost.
          <Countdown until={until} />
          <Button size="small" kind="quiet" onClick={connection.retryNow}>
            Retry now
          </Button>
        </p>
      )}
    </div>
  );
}

/** Not announced: it changes every second. */
function Countdown({ until }: { readonly until: number }) {
  const seconds = Math.ceil((until - useNow(true)) / 1000);
  return <span aria-hidden>{seconds > 0 ? `Retrying in ${seconds} s.` : 'Retrying…'}</span>;
}
