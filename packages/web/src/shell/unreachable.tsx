import { useEffect } from 'react';
import { session } from '../api/session.ts';
import { Button } from '../ui/button.tsx';

const AGAIN_MS = 5000;

/** Shown when the page has loaded but the server does not answer. */
export function Unreachable({ reason }: { readonly reason: string }) {
  useEffect(() => {
    const timer = setInterval(() => void session.load(), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <main className="m-auto max-w-md p-8 text-center" role="alert">
      <h1 className="text-xl font-semibold">chatd is unreachable</h1>
      <p className="mt-2 text-muted">
        {reason} Retrying every few seconds. If this persists, check that the server is running.
      </p>
      <Button className="mt-4" onClick={() => void session.load()}>
        Retry now
      </Button>
    </main>
  );
}
