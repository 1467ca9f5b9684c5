import { sleep, systemClock } from '@chatd/protocol/clock';
import { useEffect } from 'react';
import { session } from '../api/session.ts';
import { connection } from '../state/connection.ts';
import { Button } from '../ui/button.tsx';

const AGAIN_MS = 5000;

/** Shown when the page has loaded but the server does not answer. */
export function Unreachable({ reason }: { readonly reason: string }) {
  useEffect(() => {
    const left = new AbortController();
    const retry = async () => {
      for (; !left.signal.aborted; await sleep(systemClock, AGAIN_MS, left.signal)) {
        await connection.restored();
        if (!left.signal.aborted) await session.load();
      }
    };
    // Rejected when the page is left.
    retry().catch(() => undefined);
    return () => left.abort();
  }, []);
  return (
    <main className="m-auto max-w-md p-8 text-center" role="alert">
      <h1 className="text-xl font-semibold">chatd is unreachable</h1>
      <p className="mt-2 text-muted">
        {reason} Retrying every few seconds. If this persists, check that the server is running.
      </p>
      <Button className="mt-4" onClick={connection.retryNow}>
        Retry now
      </Button>
    </main>
  );
}
